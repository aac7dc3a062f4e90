import Forms

extension FormCompiler {
    mutating func compileActions() throws(FormImportError) {
        for bind in form.binds {
            if let preload = bind.preload?.trimmed, !preload.isEmpty {
                compilePreload(preload, bind)
            }
        }
        for action in form.actions {
            let events = Set(action.events.compactMap { event($0, at: action.place) })
            guard !events.isEmpty else { continue }
            let value: FormAction.Value
            switch action.value {
            case .literal(let text): value = .literal(text)
            case .position: value = .property("position")
            case .expression(let text):
                guard let expression = try expression(text, "setvalue") else { continue }
                value = .expression(expression)
            }
            parts.actions.append(
                FormAction(
                    events: events, target: path(action.target), value: value,
                    source: action.source.map(path)))
        }
    }

    private mutating func event(_ name: String, at place: FormPlace) -> FormAction.Event? {
        switch name {
        case "xforms-ready": return .load
        case "jr-insert": return .newRepeat
        default:
            if let event = FormAction.Event(rawValue: name) { return event }
            warnings.unsupported("event \(name)", at: place)
            return nil
        }
    }

    /// `jr:preload`: what is put in when an inspection begins, or when it is completed.
    private mutating func compilePreload(_ preload: String, _ bind: XFormBind) {
        let parameter = bind.preloadParameters?.trimmed ?? ""
        var event = FormAction.Event.firstLoad
        let value: FormAction.Value
        switch (preload, parameter) {
        case ("uid", _): value = .property("instanceID")
        case ("timestamp", "end"):
            event = .finish
            value = .property("now")
        case ("timestamp", _): value = .property("now")
        case ("date", _): value = .property("today")
        case ("property", let name), ("context", let name): value = .property(name.lowercased())
        default:
            warnings.unsupported("preload \(preload)", at: bind.place)
            return
        }
        parts.actions.append(
            FormAction(events: [event], target: path(bind.path), value: value))
    }
}
