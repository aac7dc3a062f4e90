import Forms

extension FormCompiler {
    mutating func question(_ control: BodyControl) throws(FormImportError) -> Question {
        let path = path(control.path)
        let bind = bind(at: path)
        var own = bind?.own ?? [:]
        own.merge(control.own) { _, atControl in atControl }
        let type = type(of: control, bind)
        var question = Question(path: path, label: Self.name(path), type: type)
        question.text = try text(control.label) ?? FormText(Self.name(path))
        question.hintText = try text(control.hint)
        question.appearance = Set(control.appearance.map { $0.lowercased() })
        if control.kind == .secret { question.appearance.insert("masked") }
        try fill(&question, from: bind, own: own)
        if type.isChoice || type.isChoices {
            try fillChoices(&question, from: control, verdicts: own["verdict"])
        }
        if let range = control.range { fillRange(&question, range) }
        try fillOwn(&question, own, at: control.place)
        let place = control.own["comments"] == nil ? bind?.place : nil
        question.comments = try comments(own["comments"], at: place ?? control.place)
        return question
    }

    private static func name(_ path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    private func type(of control: BodyControl, _ bind: XFormBind?) -> QuestionType {
        // The head of a matrix shows what its rows offer, and takes no answer.
        if [.select1, .select].contains(control.kind),
            control.appearance.contains(where: { $0.lowercased() == "label" })
        {
            return .note
        }
        switch control.kind {
        case .select1: return .choice
        case .select: return .choices
        case .rank: return .ranking
        case .upload: return .file
        case .trigger: return .acknowledge
        case .range:
            return bind?.type == "decimal" ? .decimal : .integer
        case .input, .secret: break
        }
        let isNote = bind?.readonly?.text.trimmed == "true()" && bind?.calculate == nil
        switch bind?.type {
        case "int", "integer", "long": return .integer
        case "decimal", "double", "float": return .decimal
        case "date": return .date
        case "time": return .time
        case "dateTime": return .dateTime
        case "geopoint": return .point
        case "geotrace": return .trace
        case "geoshape": return .shape
        case "barcode": return .barcode
        case "binary": return .file
        default:
            let isLong = control.appearance.contains { $0.lowercased() == "multiline" }
            return isNote ? .note : .text(multiline: isLong)
        }
    }

    /// What a bind says, and the default that stands in the record.
    mutating func fill(
        _ question: inout Question, from bind: XFormBind?, own: [String: String]
    ) throws(FormImportError) {
        let initial = nodes[question.path]?.value ?? ""
        question.initial = initial.isEmpty ? nil : initial
        guard let bind else { return }
        question.rules.relevant = try expression(bind.relevant, "relevant")
        question.rules.calculate = try expression(bind.calculate, "calculate")
        try checkItself(question, at: bind.calculate?.place ?? bind.place)
        question.rules.constraint = try expression(bind.constraint, "constraint")
        question.rules.constraintText = try text(bind.constraintMessage)
        question.rules.requiredText = try text(bind.requiredMessage)
        if question.type.takesAnswer {
            question.rules.readonly = try rule(bind.readonly, "readonly")
            question.rules.required = try rule(bind.required, "required")
        }
        if question.rules.calculate != nil { question.merge = "lww" }
    }

    /// What is calculated from itself has no value to come to: each time it would be another one. A form
    /// that was published before this was refused still opens.
    private func checkItself(
        _ question: Question, at place: FormPlace
    ) throws(FormImportError) {
        let node = "/\(parts.root)/\(question.path)"
        guard let calculate = question.rules.calculate,
            calculate.dependencies(at: node).paths.contains(node)
        else { return }
        throw FormImportError(place, "calculate, \(node) looks at itself in a circle")
    }

    /// `false()` says nothing.
    private func rule(
        _ text: ExpressionText?, _ name: String
    ) throws(FormImportError) -> FormExpression? {
        guard let expression = try expression(text, name) else { return nil }
        if expression.source.trimmed == "false()" { return nil }
        return expression.source.trimmed == "true()" ? .always : expression
    }

    private func fillRange(_ question: inout Question, _ range: BodyRange) {
        let ends = [Double(range.start), Double(range.end)].compactMap(\.self)
        question.limits.hardMinimum = ends.min()
        question.limits.hardMaximum = ends.max()
        question.limits.step = Double(range.step).map(abs).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Walkdown's own attributes.
    private func fillOwn(
        _ question: inout Question, _ own: [String: String], at place: FormPlace
    ) throws(FormImportError) {
        if let merge = own["merge"] { question.merge = merge.filter { $0 != " " } }
        if let unit = own["unit"] { question.unit = ShownText.clean(unit) }
        question.limits.hardMinimum = try number("min", own, place) ?? question.limits.hardMinimum
        question.limits.hardMaximum = try number("max", own, place) ?? question.limits.hardMaximum
        question.limits.softMinimum = try number("softMin", own, place)
        question.limits.softMaximum = try number("softMax", own, place)
        question.weight = try number("weight", own, place) ?? 1
        question.critical = try flag("critical", own, place)
        question.previous = try flag("previous", own, place)
        question.photoOnFail = try flag("photoOnFail", own, place)
        question.findingOnFail = try flag("findingOnFail", own, place)
    }

    private func number(
        _ name: String, _ own: [String: String], _ place: FormPlace
    ) throws(FormImportError) -> Double? {
        guard let text = own[name]?.trimmed, !text.isEmpty else { return nil }
        guard let number = NumberText.parse(text), number.isFinite else {
            throw FormImportError(place, "walkdown:\(name) is a number")
        }
        return number
    }

    private func flag(
        _ name: String, _ own: [String: String], _ place: FormPlace
    ) throws(FormImportError) -> Bool {
        switch own[name]?.trimmed.lowercased() {
        case nil, "", "false", "no", "0", "false()": return false
        case "true", "yes", "1", "true()": return true
        default: throw FormImportError(place, "walkdown:\(name) is true or false")
        }
    }
}
