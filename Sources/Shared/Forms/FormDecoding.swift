package import Coding

/// Reads the compiled JSON format of a form, number 1 (see README.md beside this file).
extension FormDefinition {
    package init(json: JSON) throws(FormError) {
        let form = try FormReader(json, at: "").members()
        let format = try form.integer("format") ?? FormDefinition.format
        guard format == FormDefinition.format else {
            throw FormError(
                .unknownFormat, at: "format",
                "this program reads format \(FormDefinition.format) of compiled forms")
        }
        let id = try form.text("id")
        let version = try form.text("version")
        let sections = try form.list("sections", atMost: FormLimits.sections)
        var read: [Section] = []
        var count = 0
        for section in sections {
            read.append(try Section(reading: section, questionsSoFar: &count))
        }
        let title = ShownText.clean(try form.optionalText("title") ?? "")
        try self.init(
            id: id, version: version, title: title.isEmpty ? id : title,
            recordName: try form.optionalText("recordName"), sections: read)
    }

    package static let format: Int64 = 1
}

extension Section {
    fileprivate init(
        reading reader: FormReader, questionsSoFar count: inout Int
    ) throws(FormError) {
        let section = try reader.members()
        let name = try section.text("name")
        let title = ShownText.clean(try section.optionalText("title") ?? "")
        let list = try section.list("questions", atMost: FormLimits.questions - count)
        count += list.count
        var questions: [Question] = []
        for question in list {
            questions.append(try Question(reading: question))
        }
        self.init(
            name: name, title: title.isEmpty ? name : title,
            relevant: try section.condition("relevant"), questions: questions)
    }
}

extension Question {
    fileprivate init(reading reader: FormReader) throws(FormError) {
        let question = try reader.members()
        let path = try question.text("path")
        let label = ShownText.clean(try question.optionalText("label") ?? "")
        let hint = ShownText.clean(try question.optionalText("hint") ?? "")
        let unit = ShownText.clean(try question.optionalText("unit") ?? "")
        self.init(
            path: path, label: label.isEmpty ? path : label, type: try question.type(),
            hint: hint.isEmpty ? nil : hint, required: try question.bool("required"),
            relevant: try question.condition("relevant"), unit: unit.isEmpty ? nil : unit,
            limits: NumberLimits(
                hardMinimum: try question.number("min"), hardMaximum: try question.number("max"),
                softMinimum: try question.number("softMin"),
                softMaximum: try question.number("softMax")),
            choices: try question.choices(),
            merge: try question.optionalText("merge") ?? "ask",
            previous: try question.bool("previous"), critical: try question.bool("critical"),
            weight: try question.number("weight") ?? 1,
            photoOnFail: try question.bool("photoOnFail"),
            findingOnFail: try question.bool("findingOnFail"))
    }
}

extension FormReader.Members {
    fileprivate func type() throws(FormError) -> QuestionType {
        switch try text("type") {
        case "text": return .text(multiline: try bool("multiline"))
        case "integer": return .integer
        case "decimal": return .decimal
        case "choice": return .choice
        case "verdict": return .verdict
        case "date": return .date
        case "note": return .note
        default:
            throw FormError(
                .unknownType, at: place("type"),
                "a type is text, integer, decimal, choice, verdict, date or note")
        }
    }

    fileprivate func choices() throws(FormError) -> [Choice] {
        var choices: [Choice] = []
        for item in try optionalList("choices", atMost: FormLimits.choicesOfOneQuestion) ?? [] {
            let choice = try item.members()
            let name = try choice.text("name")
            let label = ShownText.clean(try choice.optionalText("label") ?? "")
            choices.append(
                Choice(
                    name: name, label: label.isEmpty ? name : label,
                    verdict: try choice.verdict()))
        }
        return choices
    }

    private func verdict() throws(FormError) -> Verdict? {
        guard let text = try optionalText("verdict") else { return nil }
        guard let verdict = Verdict(rawValue: text) else {
            throw FormError(
                .unknownType, at: place("verdict"),
                "a verdict is pass, fail, notApplicable or notObserved")
        }
        return verdict
    }
}
