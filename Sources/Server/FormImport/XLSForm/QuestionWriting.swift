internal import Forms

// One question: its bind, its default, what it sets off, and how it is asked.
extension SurveyWriting {
    /// The control of a question; nil for what is not asked.
    mutating func question(
        _ node: SurveyNode, _ type: SurveyType, _ instance: inout InstanceNode
    ) throws(FormImportError) -> BodyControl? {
        var bind = try rules(of: node)
        var kind: BodyControl.Kind?
        switch type {
        case .simple(let simple):
            try apply(simple, to: &bind, of: node)
            kind = simple.control
        case .select(let select):
            bind.type = select.control == .rank ? "rank" : "string"
            kind = select.control
        default: return nil
        }
        if kind == .range { bind.type = Self.rangeType(node) }
        if let own = node.row["bind::type"] { bind.type = own }
        try setTriggered(&bind, type, of: node)
        try setDefault(of: node, type: bind.type, &instance)
        append(bind)
        guard let kind else { return nil }
        return try control(kind, type, of: node)
    }

    private mutating func rules(of node: SurveyNode) throws(FormImportError) -> XFormBind {
        var bind = XFormBind(node.path, at: node.row.place())
        bind.readonly = try rule("readonly", of: node)
        bind.required = try rule("required", of: node)
        bind.relevant = try rule("relevant", of: node)
        bind.constraint = try rule("constraint", of: node)
        bind.calculate = try rule("calculation", of: node)
        bind.constraintMessage = try captions.message(
            "constraint_message", "jr:constraintMsg", of: node)
        bind.requiredMessage = try captions.message(
            "required_message", "jr:requiredMsg", of: node)
        bind.preload = node.row["bind::jr:preload"]
        bind.preloadParameters = node.row["bind::jr:preloadParams"]
        if let relevant = node.generatedRelevant {
            bind.relevant = ExpressionText(relevant, at: node.row.place())
        }
        for (name, value) in node.row.members(of: "walkdown").sorted(by: { $0.key < $1.key }) {
            guard OwnAttribute.known.contains(name) else {
                warnings.unsupported(
                    "column walkdown::\(name)", at: node.row.place("walkdown::\(name)"))
                continue
            }
            bind.own[name] = value
        }
        return bind
    }

    private mutating func apply(
        _ simple: SimpleType, to bind: inout XFormBind, of node: SurveyNode
    ) throws(FormImportError) {
        bind.type = simple.bind
        let place = node.row.place("type")
        if simple.isReadonly { bind.readonly = ExpressionText("true()", at: place) }
        if let constraint = simple.constraint, bind.constraint == nil {
            bind.constraint = ExpressionText(constraint, at: place)
        }
        bind.preload = bind.preload ?? simple.preload
        bind.preloadParameters = bind.preloadParameters ?? simple.preloadParameters
        if simple.isCalculation, bind.calculate == nil, node.row["default"] == nil {
            throw FormImportError(node.row.place("calculation"), "calculate has no calculation")
        }
        if simple.setsPosition, node.row["trigger"] == nil {
            append(
                XFormAction(
                    events: ["odk-instance-first-load"], target: node.path, value: .position,
                    place: place))
        }
    }

    private static func rangeType(_ node: SurveyNode) -> String {
        let parameters = Parameters(node.row["parameters"])
        let isDecimal = ["start", "end", "step"].contains { parameters[$0]?.contains(".") == true }
        return isDecimal ? "decimal" : "int"
    }

    /// With a trigger, the calculation is done when the trigger changes and at no other time.
    private mutating func setTriggered(
        _ bind: inout XFormBind, _ type: SurveyType, of node: SurveyNode
    ) throws(FormImportError) {
        guard let trigger = node.row["trigger"] else { return }
        let place = node.row.place("trigger")
        var value: XFormAction.Value = bind.calculate.map { .expression($0) } ?? .literal("")
        if case .simple(let simple) = type, simple.setsPosition { value = .position }
        for written in trigger.split(separator: ",") {
            let text = written.trimmed
            guard text.hasPrefix("${"), text.hasSuffix("}"),
                let source = captions.references.path(of: text.dropFirst(2).dropLast().trimmed)
            else { throw FormImportError(place, "\(text) is not the name of a question: ${name}") }
            append(
                XFormAction(
                    events: ["xforms-value-changed"], target: node.path, value: value,
                    source: source, place: place))
        }
        bind.calculate = nil
    }

    /// A default that has to be evaluated is set when the record or the repeat begins.
    private mutating func setDefault(
        of node: SurveyNode, type: String?, _ instance: inout InstanceNode
    ) throws(FormImportError) {
        guard let text = node.row["default"] else { return }
        let place = node.row.place("default")
        guard DefaultScan.isDynamic(text, type: type) else {
            instance.value = text
            return
        }
        let expression = try captions.references.resolved(
            TableRow.straightQuotes(text), at: node, place: place)
        guard Self.isExpression(expression) else {
            warnings.note(
                "\(node.name): the default looks like an expression and is none; it stands as it"
                    + " is written", kind: "default \(node.path)", at: place)
            instance.value = text
            return
        }
        let events = ["odk-instance-first-load"] + (node.repeats.isEmpty ? [] : ["odk-new-repeat"])
        append(
            XFormAction(
                events: events, target: node.path,
                value: .expression(ExpressionText(expression, at: place)), place: place))
    }

    /// Whether a text can be read as an expression. `+49 30 1234` and `see note(s)` only look like one.
    private static func isExpression(_ text: String) -> Bool {
        do throws(ExpressionError) {
            _ = try FormExpression(text)
            return true
        } catch {
            return false
        }
    }

    private mutating func control(
        _ kind: BodyControl.Kind, _ type: SurveyType, of node: SurveyNode
    ) throws(FormImportError) -> BodyControl {
        var control = BodyControl(kind: kind, path: node.path, place: node.row.place("type"))
        control.label = try captions.label(of: node)
        control.hint = try captions.hint(of: node)
        control.appearance = Appearance.read(
            node.appearance ?? node.row["appearance"], at: node.row.place("appearance"),
            &warnings)
        switch type {
        case .simple(let simple):
            control.mediaType = node.row["body::mediatype"] ?? simple.mediaType
        case .select(let select):
            control.itemset = try itemsets.itemset(select, of: node, &captions.references)
        default: break
        }
        if kind == .range { control.range = try Self.range(of: node) }
        return control
    }

    private static func range(of node: SurveyNode) throws(FormImportError) -> BodyRange {
        let parameters = Parameters(node.row["parameters"])
        let range = BodyRange(
            start: parameters["start"] ?? "1", end: parameters["end"] ?? "10",
            step: parameters["step"] ?? "1")
        for text in [range.start, range.end, range.step] where Double(text) == nil {
            throw FormImportError(node.row.place("parameters"), "\(text) is not a number")
        }
        guard Double(range.step) != 0 else {
            throw FormImportError(node.row.place("parameters"), "the step of a range is not 0")
        }
        return range
    }
}
