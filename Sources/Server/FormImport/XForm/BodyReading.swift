/// The body: what is shown, in order.
struct BodyReading {
    private let bindIDs: [String: String]
    var warnings: WarningList
    private(set) var actions: [XFormAction] = []

    init(bindIDs: [String: String], warnings: WarningList) {
        self.bindIDs = bindIDs
        self.warnings = warnings
    }

    mutating func items(
        of element: XMLElement, context: String
    ) throws(FormImportError) -> [BodyItem] {
        var items: [BodyItem] = []
        for child in element.children {
            switch child.name.local {
            case "group", "section": items.append(.group(try group(child, context: context)))
            case "repeat": items.append(.repeat(try repeated(child, context: context)))
            case "label", "hint": continue
            case "setvalue", "setgeopoint":
                actions.append(
                    try ActionReading.action(child, context: context, source: nil))
            case let name:
                if let kind = BodyControl.Kind(rawValue: name) {
                    items.append(.control(try control(child, kind, context: context)))
                } else {
                    warnings.unsupported("\(name) in the body", at: child.place)
                }
            }
        }
        return items
    }

    private mutating func group(
        _ element: XMLElement, context: String
    ) throws(FormImportError) -> BodyGroup {
        let path = try reference(of: element, context: context)
        var group = BodyGroup(path: path, place: element.place)
        group.label = caption("label", of: element)
        group.hint = caption("hint", of: element)
        group.appearance = Appearance.read(element["appearance"], at: element.place, &warnings)
        group.items = try items(of: element, context: path ?? context)
        return group
    }

    private mutating func repeated(
        _ element: XMLElement, context: String
    ) throws(FormImportError) -> BodyRepeat {
        guard let path = try reference(of: element, context: context) else {
            throw FormImportError(element.place, "a repeat without nodeset")
        }
        var item = BodyRepeat(path: path, place: .line(element.line, node: "repeat \(path)"))
        item.count = element.expression(XMLName("count", in: Namespace.javaRosa))
        item.noAddRemove = element.expression(XMLName("noAddRemove", in: Namespace.javaRosa))
        item.appearance = Appearance.read(element["appearance"], at: item.place, &warnings)
        item.items = try items(of: element, context: path)
        return item
    }

    private mutating func control(
        _ element: XMLElement, _ kind: BodyControl.Kind, context: String
    ) throws(FormImportError) -> BodyControl {
        guard let path = try reference(of: element, context: context) else {
            throw FormImportError(element.place, "a question without ref")
        }
        let place = FormPlace.line(element.line, node: "\(kind.rawValue) \(path)")
        var control = BodyControl(kind: kind, path: path, place: place)
        control.label = caption("label", of: element)
        control.hint = caption("hint", of: element)
        control.appearance = Appearance.read(element["appearance"], at: place, &warnings)
        control.mediaType = element["mediatype"]
        control.own = element.own(&warnings)
        if kind == .range { control.range = try range(of: element, at: place) }
        try fill(&control, from: element)
        if [.select, .select1, .rank].contains(kind), control.choices.isEmpty,
            control.itemset == nil
        {
            throw FormImportError(place, "there is nothing to choose from")
        }
        return control
    }

    private mutating func fill(
        _ control: inout BodyControl, from element: XMLElement
    ) throws(FormImportError) {
        for child in element.children {
            switch child.name.local {
            case "item": control.choices.append(try choice(child, of: control))
            case "itemset": control.itemset = try itemset(child, of: control)
            case "setvalue", "setgeopoint":
                actions.append(
                    try ActionReading.action(child, context: control.path, source: control.path))
            case "choices":
                try fill(&control, from: child)
            case "label", "hint", "alert", "tag", "help", "value": continue
            default: warnings.unsupported("\(child.name.local) in a question", at: child.place)
            }
        }
    }

    private mutating func choice(
        _ element: XMLElement, of control: BodyControl
    ) throws(FormImportError) -> BodyChoice {
        guard let value = element.first("value") else {
            throw FormImportError(control.place, "a choice without value (line \(element.line))")
        }
        let label = element.first("label").flatMap { CaptionReading.read($0, &warnings) }
        return BodyChoice(
            value: value.text.trimmed, label: label, own: element.own(&warnings),
            place: element.place)
    }

    private func itemset(
        _ element: XMLElement, of control: BodyControl
    ) throws(FormImportError) -> Itemset {
        guard let nodeset = element.expression("nodeset") else {
            throw FormImportError(control.place, "an itemset without nodeset")
        }
        guard let value = element.first("value")?["ref"]?.trimmed,
            let label = element.first("label")?["ref"]?.trimmed ?? element.first("value")?["ref"]
        else {
            throw FormImportError(control.place, "an itemset without value")
        }
        let shown: ItemsetLabel
        if let key = ExpressionScan.arguments(of: "jr:itext", in: label)?.first {
            shown = .text(key)
        } else {
            shown = .child(label)
        }
        guard
            let itemset = Itemset(
                nodeset: nodeset, context: control.path, valueName: value, label: shown)
        else {
            throw FormImportError(control.place, "the nodeset \(nodeset.text) is not a list")
        }
        return itemset
    }

    private func range(
        of element: XMLElement, at place: FormPlace
    ) throws(FormImportError) -> BodyRange {
        guard let start = element["start"], let end = element["end"], let step = element["step"]
        else { throw FormImportError(place, "a range needs start, end and step") }
        for text in [start, end, step] where Double(text.trimmed) == nil {
            throw FormImportError(place, "\(text) is not a number")
        }
        return BodyRange(start: start.trimmed, end: end.trimmed, step: step.trimmed)
    }

    /// The node that an element is about: by `ref`, `nodeset` or the id of a bind.
    private func reference(
        of element: XMLElement, context: String
    ) throws(FormImportError) -> String? {
        guard let text = element["ref"] ?? element["nodeset"] else {
            guard let id = element["bind"] else { return nil }
            guard let path = bindIDs[id] else {
                throw FormImportError(element.place, "there is no bind with the id \(id)")
            }
            return path
        }
        guard !text.trimmed.isEmpty else { return nil }
        guard let path = NodePath.absolute(text, from: context) else {
            throw FormImportError(element.place, "\(text) is not a path")
        }
        return path
    }

    private mutating func caption(_ name: String, of element: XMLElement) -> Caption? {
        element.first(name).flatMap { CaptionReading.read($0, &warnings) }
    }
}
