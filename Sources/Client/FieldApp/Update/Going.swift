import Coding
import Forms
import Phrases
import Replication
import TerminalKit

/// Going from question to question, through the rows of repeats too.
extension AppState {
    /// To the next question of the same list, or the next repeat; what the form fills in is passed over.
    mutating func advance() {
        guard case .inspection(var screen) = layers.top else { return }
        let orphans = screen.orphans
        let keys = screen.keys.filter {
            (screen.isToBeAnswered($0) && !orphans.contains($0)) || $0 == screen.focus.focused
        }
        guard let here = screen.focus.focused, let index = keys.firstIndex(of: here) else {
            return
        }
        if index + 1 < keys.count {
            screen.focus.focus(keys[index + 1])
            screen.focus.settle(screen.keys)
        } else if notice == nil {
            notice = Notice(
                screen.row == nil
                    ? say("That was the last question; Down and Enter, or F5, completes")
                    : say("That was the last question of this row; Esc goes back to the others"))
        }
        layers.top = .inspection(screen)
    }

    mutating func goToNextUnanswered() -> [Effect] {
        goToNext { screen, key in
            screen.value(of: key).isNull && screen.draft(of: key) == nil
                && screen.filling?.obstacle(at: key) == nil
        }
    }

    mutating func goToNextProblem() -> [Effect] {
        let screen = openInspection
        if screen?.isCompleting == true, screen?.form?.problems.isEmpty == true {
            if case .rows = layers.top { layers.pop() }
            return complete()
        }
        // What is wrong goes before what is only not answered yet.
        let told = Set(screen?.toldProblems.map(\.key) ?? [])
        let all = Set(screen?.form?.problems.map(\.key) ?? [])
        let effects = goToNext { _, key in told.isEmpty ? all.contains(key) : told.contains(key) }
        blameFocused()
        return effects
    }

    /// Goes to the next question, after the focused one and then from the top, for which it holds.
    private mutating func goToNext(
        where holds: (InspectionScreen, AnswerKey) -> Bool
    ) -> [Effect] {
        let leaving = leaveEditor()
        if case .rows = layers.top { layers.pop() }
        guard case .inspection(var screen) = layers.top, let filling = screen.filling else {
            return leaving
        }
        let keys = filling.everyKey
        let here = keys.firstIndex { $0 == screen.focus.focused } ?? -1
        let order = keys[(here + 1)...] + keys[..<max(0, here)]
        let found = order.first { key in
            screen.question(at: key)?.type.takesAnswer == true && holds(screen, key)
        }
        if let found {
            screen.go(to: found)
            layers.top = .inspection(screen)
        }
        return leaving
    }

    /// Whoever goes to a problem wants to read it.
    private mutating func blameFocused() {
        guard case .inspection(var screen) = layers.top, let key = screen.focus.focused else {
            return
        }
        screen.blamed.insert(key)
        layers.top = .inspection(screen)
    }

    /// The one place where problems block: says how many, and goes to the first.
    mutating func complete() -> [Effect] {
        let leaving = leaveEditor()
        guard case .inspection(var screen) = layers.top, let form = screen.form else {
            return leaving
        }
        screen.isCompleting = !form.problems.isEmpty
        layers.top = .inspection(screen)
        guard let first = form.problems.first else { return leaving + [.complete(screen.id)] }
        screen.blamed.formUnion(form.problems.map(\.key))
        screen.go(to: first.key)
        layers.top = .inspection(screen)
        let count = form.problems.count
        notice = Notice(
            count == 1
                ? say("Not complete yet: this question is missing something")
                : say("Not complete yet: \(count) problems; F8 goes from one to the next"), .bad)
        // Nothing is asked there, but something is found.
        if screen.filling?.isRelevant(first.key) == false { showFindings(at: first.key) }
        return leaving
    }

    /// The focused answer's conflict, else the first of the inspection.
    mutating func openConflict() -> [Effect] {
        guard let screen = inspectionScreen, let picture = screen.picture else { return [] }
        let own = screen.focus.focused?.record(in: screen.id)
        let record = picture.conflicts.first { $0 == own } ?? picture.conflicts.first
        return record.map { openReview($0) } ?? []
    }

    // MARK: Language

    /// The next language of the form, from now on for every form that has it.
    mutating func changeLanguage() -> [Effect] {
        guard let form = openInspection?.picture?.form else { return [] }
        let languages = form.parts.languages
        let present = language.flatMap { languages.firstIndex(of: $0) } ?? 0
        let next = languages[(present + 1) % languages.count]
        language = next
        for index in layers.layers.indices {
            guard case .inspection(var screen) = layers[index], let form = screen.picture?.form
            else { continue }
            screen.show(in: surroundings(for: form))
            layers[index] = .inspection(screen)
        }
        notice = Notice(say("Language: \(next)"))
        return []
    }

    // MARK: Why

    mutating func openWhy() -> [Effect] {
        guard let screen = inspectionScreen, let filling = screen.filling,
            let key = screen.focus.focused
        else { return [] }
        layers.push(
            .why(
                WhyScreen(
                    title: screen.label(of: key), lines: screen.whyLines(of: key, in: filling))))
        return []
    }
}

extension InspectionScreen {
    /// Whether the person has something to do at this place of the list.
    fileprivate func isToBeAnswered(_ key: AnswerKey) -> Bool {
        // Whoever presses Enter once more than he meant completes nothing.
        guard key != .completion else { return false }
        guard let question = question(at: key) else { return true }
        return question.type.takesAnswer && filling?.obstacle(at: key) == nil
    }

    fileprivate func whyLines(of key: AnswerKey, in filling: FormFilling) -> [WhyScreen.Line] {
        var lines: [WhyScreen.Line] = []
        if let problem = filling.shownProblem(of: key) {
            let unit = question(at: key)?.unit
            lines.append(.init(.heading, say("This \(problem.message(unit: unit))")))
        }
        let own = filling.why(key)
        if question(at: key)?.required == true {
            lines.append(.init(.rule, say("An answer is always required")))
        } else if own.isEmpty {
            lines.append(.init(.fact, say("No rule of the form stands behind this question.")))
        }
        lines += Self.lines(own)
        let hidden = filling.hidden(among: itemsAround(key, in: filling), in: key.row)
        for question in hidden.prefix(Self.mostHidden) {
            let place = AnswerKey(row: key.row, question.path)
            lines.append(.init(.heading, say("Hidden: \(filling.text(question.text, at: place))")))
            lines += Self.lines(filling.whyRelevant(place))
        }
        return lines
    }

    /// More than that nobody reads.
    private static let mostHidden = 50

    private static func lines(_ explanations: [Explanation]) -> [WhyScreen.Line] {
        explanations.flatMap { explanation in
            [WhyScreen.Line(.rule, explanation.sentence)]
                + explanation.lines.dropFirst().map { WhyScreen.Line(.fact, $0) }
        }
    }

    /// The section, or the repeat, that a question stands in.
    private func itemsAround(_ key: AnswerKey, in filling: FormFilling) -> [FormItem] {
        guard let row = key.row else {
            return section(of: key).map { filling.form.sections[$0].items } ?? []
        }
        let path = filling.answers.row(row)?.path
        return filling.form.repetitions.first { $0.path == path }?.items ?? []
    }
}
