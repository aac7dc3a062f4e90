/// What must be true of one question by itself.
struct QuestionCheck {
    let question: Question
    let place: String
    /// Whether another question of its kind has been checked that offers the same list.
    var isListKnown = false

    func run() throws(FormError) {
        try checkChoices()
        try checkLimits()
        try checkMerge()
        guard question.weight.isFinite, question.weight >= 0 else {
            throw FormError(.badLimits, at: place + ".weight", "a weight is zero or more")
        }
        if !question.type.takesAnswer && question.required {
            throw FormError(.malformed, at: place + ".required", "a note takes no answer")
        }
    }

    private func checkChoices() throws(FormError) {
        let place = place + ".choices"
        guard question.type.isChoice || question.type.isChoices else {
            guard question.choices.isEmpty else {
                throw FormError(
                    .badChoices, at: place,
                    "only choice, choices, ranking and verdict have choices")
            }
            return
        }
        // A list may come with a file, or be made of answers.
        guard !question.choices.isEmpty || question.filter != nil else {
            throw FormError(.badChoices, at: place, "nothing to choose from")
        }
        guard question.choices.count <= FormLimits.choicesOfOneQuestion else {
            throw FormError(
                .tooLarge, at: place, "more than \(FormLimits.choicesOfOneQuestion) choices")
        }
        if !isListKnown { try checkNames(at: place) }
        try checkVerdicts()
    }

    private func checkNames(at place: String) throws(FormError) {
        var names: Set<String> = []
        names.reserveCapacity(question.choices.count)
        for (number, choice) in question.choices.enumerated() {
            guard FormName.isChoiceName(choice.name, inList: question.type.isChoices) else {
                throw FormError(
                    .badName, at: "\(place)[\(number)].name",
                    question.type.isChoices
                        ? "the name of one of several choices has no blanks"
                        : "the name of a choice has no control characters")
            }
            guard names.insert(choice.name).inserted else {
                throw FormError(
                    .duplicateName, at: "\(place)[\(number)].name",
                    "\(choice.name) is offered twice")
            }
        }
    }

    private func checkVerdicts() throws(FormError) {
        guard question.type == .verdict else { return }
        for (number, choice) in question.choices.enumerated() where choice.verdict == nil {
            throw FormError(
                .badChoices, at: "\(place).choices[\(number)].verdict",
                "each choice of a verdict says which verdict it is")
        }
    }

    private func checkLimits() throws(FormError) {
        let limits = question.limits
        guard question.type.isNumber || limits.isEmpty else {
            throw FormError(.badLimits, at: place, "only numbers have limits")
        }
        let all = [
            limits.hardMinimum, limits.softMinimum, limits.softMaximum, limits.hardMaximum,
        ].compactMap(\.self)
        guard all.allSatisfy(\.isFinite) else {
            throw FormError(.badLimits, at: place, "a limit is a finite number")
        }
        // Hard below soft below soft below hard, whichever of them are given.
        if let step = limits.step, !(step.isFinite && step > 0) {
            throw FormError(.badLimits, at: place + ".step", "a step is more than zero")
        }
        guard zip(all, all.dropFirst()).allSatisfy(<=) else {
            throw FormError(
                .badLimits, at: place, "limits go up: min, softMin, softMax, max")
        }
    }

    private func checkMerge() throws(FormError) {
        let place = place + ".merge"
        switch question.merge {
        case "ask", "quarantine", "lww": return
        case "max", "min":
            guard question.type.isNumber || question.type == .date else {
                throw FormError(
                    .badMergePolicy, at: place, "\(question.merge) needs a number or a date")
            }
        case "union":
            switch question.type {
            case .text, .choices: return
            default: throw FormError(.badMergePolicy, at: place, "union needs a list of names")
            }
        default:
            try checkRank(at: place)
        }
    }

    /// Every choice has its rank, otherwise two answers could stand without an order.
    private func checkRank(at place: String) throws(FormError) {
        guard question.merge.hasPrefix("rank:") else {
            throw FormError(
                .badMergePolicy, at: place,
                "a merge policy is ask, quarantine, rank:…, lww, max, min or union")
        }
        let ranked = question.merge.dropFirst("rank:".count)
            .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard question.type.isChoice, Set(ranked) == Set(question.choices.map(\.name)),
            Set(ranked).count == ranked.count
        else {
            throw FormError(
                .badMergePolicy, at: place, "rank names each choice of the question once")
        }
    }
}
