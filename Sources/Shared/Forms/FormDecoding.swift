package import Coding

/// Reads the compiled JSON format of a form, numbers 1 and 2 (see README.md beside this file).
extension FormDefinition {
    package init(json: JSON) throws(FormError) {
        let form = try FormReader(json, at: "").members()
        let format = try form.integer("format") ?? 1
        guard (1...FormDefinition.format).contains(format) else {
            throw FormError(
                .unknownFormat, at: "format",
                "this program reads formats 1 to \(FormDefinition.format) of compiled forms")
        }
        let id = try form.text("id")
        let title = ShownText.clean(try form.optionalText("title") ?? "")
        var parts = FormParts(
            id: id, version: try form.text("version"), title: title.isEmpty ? id : title)
        parts.root = try form.optionalText("root") ?? "data"
        parts.recordName = try form.optionalText("recordName")
        parts.instanceName = try form.expression("instanceName")
        parts.languages = try form.texts("languages")
        var reading = ItemReading(lists: try form.choiceLists())
        for section in try form.list("sections", atMost: FormLimits.sections) {
            parts.sections.append(try reading.section(section))
        }
        for question in try form.optionalList("hidden", atMost: FormLimits.questions) ?? [] {
            var hidden = try reading.question(question)
            hidden.isHidden = true
            parts.hidden.append(hidden)
        }
        for group in try form.optionalList("groups", atMost: FormLimits.questions) ?? [] {
            let members = try group.members()
            parts.groups.append(
                GroupRules(
                    path: try members.text("path"),
                    relevant: try members.expression("relevant"),
                    readonly: try members.expression("readonly")))
        }
        for action in try form.optionalList("actions", atMost: FormLimits.questions) ?? [] {
            parts.actions.append(try FormAction(reading: action))
        }
        for row in try form.optionalList("rows", atMost: FormFilling.mostCountedRows) ?? [] {
            parts.rows.append(try InitialRow(reading: row))
        }
        for (id, list) in try form.objects("instances") {
            parts.lists[id] = try InstanceCoding.content(reading: list)
        }
        try self.init(parts)
        // Format 1 is written by hand, and a wrong name in it a slip of the pen.
        if format == 1, let problem = ExpressionCheck(self).problems.first { throw problem.error }
    }

    package static let format: Int64 = 2
}

/// Reads sections and what stands in them.
private struct ItemReading {
    let lists: [ChoiceList]
    private var questions = 0

    init(lists: [ChoiceList]) { self.lists = lists }

    mutating func section(_ reader: FormReader) throws(FormError) -> Section {
        let section = try reader.members()
        let name = try section.text("name")
        let title = try section.formText("title")
        let list = try section.list("questions", atMost: 3 * FormLimits.questions)
        var rest = list[...]
        let items = try items(&rest, end: nil, depth: 1)
        return Section(
            name: name, text: title ?? FormText(name),
            relevant: try section.expression("relevant"), items: items)
    }

    /// Up to the end of the group or repeat that is open, or of the section.
    private mutating func items(
        _ rest: inout ArraySlice<FormReader>, end: String?, depth: Int
    ) throws(FormError) -> [FormItem] {
        var items: [FormItem] = []
        while let reader = rest.popFirst() {
            let members = try reader.members()
            if let ended = try members.optionalText("end") {
                guard ended == end else {
                    throw FormError(.malformed, at: members.place("end"), "ends what is not open")
                }
                return items
            }
            guard let begun = try members.optionalText("begin") else {
                items.append(.question(try question(reader)))
                continue
            }
            guard depth < FormLimits.depth else {
                throw FormError(
                    .tooLarge, at: reader.path, "groups nest deeper than \(FormLimits.depth)")
            }
            items.append(try container(begun, members, &rest, depth: depth))
        }
        guard end == nil else {
            throw FormError(.malformed, at: "sections", "a \(end ?? "") has no end")
        }
        return items
    }

    private mutating func container(
        _ kind: String, _ members: FormReader.Members, _ rest: inout ArraySlice<FormReader>,
        depth: Int
    ) throws(FormError) -> FormItem {
        let text = try members.formText("title")
        switch kind {
        case "group":
            var group = Group(path: try members.optionalText("path"), text: text, items: [])
            group.isFieldList = try members.bool("fieldList")
            group.items = try items(&rest, end: kind, depth: depth + 1)
            return .group(group)
        case "repeat":
            var repetition = Repetition(
                path: try members.text("path"), text: text,
                count: try members.expression("count"), items: [])
            repetition.isFixed = try members.bool("fixed")
            repetition.items = try items(&rest, end: kind, depth: depth + 1)
            return .repetition(repetition)
        default:
            throw FormError(
                .unknownType, at: members.place("begin"), "a group or a repeat begins")
        }
    }

    mutating func question(_ reader: FormReader) throws(FormError) -> Question {
        questions += 1
        guard questions <= FormLimits.questions else {
            throw FormError(
                .tooLarge, at: reader.path, "more than \(FormLimits.questions) questions")
        }
        return try Question(reading: reader, lists: lists)
    }
}

extension Question {
    fileprivate init(reading reader: FormReader, lists: [ChoiceList]) throws(FormError) {
        let question = try reader.members()
        let path = try question.text("path")
        let unit = ShownText.clean(try question.optionalText("unit") ?? "")
        self.init(
            path: path, label: path, type: try question.type(),
            unit: unit.isEmpty ? nil : unit,
            limits: NumberLimits(
                hardMinimum: try question.number("min"), hardMaximum: try question.number("max"),
                softMinimum: try question.number("softMin"),
                softMaximum: try question.number("softMax"), step: try question.number("step")),
            choices: try question.choices("choices"),
            merge: try question.optionalText("merge") ?? "ask",
            previous: try question.bool("previous"), critical: try question.bool("critical"),
            weight: try question.number("weight") ?? 1,
            photoOnFail: try question.bool("photoOnFail"),
            findingOnFail: try question.bool("findingOnFail"))
        if let label = try question.formText("label") { text = label }
        hintText = try question.formText("hint")
        initial = try question.optionalText("initial")
        appearance = Set(try question.texts("appearance"))
        rules = try QuestionRules(reading: question)
        func named(_ key: String) throws(FormError) -> ChoiceList? {
            guard let number = try question.integer(key) else { return nil }
            guard lists.indices.contains(Int(clamping: number)) else {
                throw FormError(.malformed, at: question.place(key), "there is no such list")
            }
            return lists[Int(number)]
        }
        if let choices = try named("list") { list = choices }
        if let texts = try named("comments") { comments = texts }
        if let nodeset = try question.expression("filter") {
            filter = ChoiceFilter(
                nodeset: nodeset, valueName: try question.text("filterValue"),
                labelName: try question.optionalText("filterLabel"))
        }
    }
}

extension QuestionRules {
    fileprivate init(reading question: FormReader.Members) throws(FormError) {
        self.init()
        relevant = try question.expression("relevant")
        required = try question.requirement("required")
        readonly = try question.expression("readonly")
        constraint = try question.expression("constraint")
        calculate = try question.expression("calculate")
        constraintText = try question.formText("constraintMessage")
        requiredText = try question.formText("requiredMessage")
    }
}

extension FormAction {
    fileprivate init(reading reader: FormReader) throws(FormError) {
        let action = try reader.members()
        var events: Set<Event> = []
        for text in try action.texts("events") {
            guard let event = Event(rawValue: text) else {
                throw FormError(.unknownType, at: action.place("events"), "an unknown event")
            }
            events.insert(event)
        }
        let value: Value
        if let expression = try action.expression("expression") {
            value = .expression(expression)
        } else if let name = try action.optionalText("property") {
            value = .property(name)
        } else {
            value = .literal(try action.text("literal"))
        }
        self.init(
            events: events, target: try action.text("target"), value: value,
            source: try action.optionalText("source"))
    }
}

extension InitialRow {
    fileprivate init(reading reader: FormReader) throws(FormError) {
        let row = try reader.members()
        self.init(
            path: try row.text("repeat"), parent: try row.integer("in").map(Int.init(clamping:)))
        for (path, value) in try row.objects("values") {
            guard case .string(let text) = value.json else {
                throw FormError(.malformed, at: row.place("values"), "a value is a text")
            }
            values[path] = text
        }
    }
}

extension FormReader.Members {
    fileprivate func type() throws(FormError) -> QuestionType {
        let word = try text("type")
        if word == "text" { return .text(multiline: try bool("multiline")) }
        let types: [QuestionType] = [
            .integer, .decimal, .choice, .choices, .ranking, .verdict, .date, .time, .dateTime,
            .point, .trace, .shape, .barcode, .file, .acknowledge, .note,
        ]
        guard let type = types.first(where: { $0.word == word }) else {
            throw FormError(
                .unknownType, at: place("type"),
                "a type is text, " + types.map(\.word).joined(separator: ", "))
        }
        return type
    }

    /// The lists that questions name by their numbers.
    fileprivate func choiceLists() throws(FormError) -> [ChoiceList] {
        var lists: [ChoiceList] = []
        for list in try optionalList("lists", atMost: FormLimits.questions) ?? [] {
            guard case .array(let items) = list.json else {
                throw FormError(.malformed, at: list.path, "expected a list")
            }
            guard items.count <= FormLimits.choicesOfOneQuestion else {
                throw FormError(.tooLarge, at: list.path, "the list is too long")
            }
            var choices: [Choice] = []
            choices.reserveCapacity(items.count)
            let place = list.path
            for (number, item) in items.enumerated() {
                choices.append(
                    try Choice(reading: FormReader(item, at: place, number: number)))
            }
            lists.append(ChoiceList(choices))
        }
        return lists
    }

    fileprivate func choices(_ key: String) throws(FormError) -> [Choice] {
        var choices: [Choice] = []
        for item in try optionalList(key, atMost: FormLimits.choicesOfOneQuestion) ?? [] {
            choices.append(try Choice(reading: item))
        }
        return choices
    }
}

extension Choice {
    fileprivate init(reading reader: FormReader) throws(FormError) {
        let choice = try reader.members()
        let name = try choice.text("name")
        self.init(
            name: name, text: try choice.formText("label") ?? FormText(name),
            verdict: try choice.verdict())
    }
}

extension FormReader.Members {
    fileprivate func verdict() throws(FormError) -> Verdict? {
        guard let text = try optionalText("verdict") else { return nil }
        guard let verdict = Verdict(rawValue: text) else {
            throw FormError(
                .unknownType, at: place("verdict"),
                "a verdict is pass, fail, notApplicable or notObserved")
        }
        return verdict
    }
}
