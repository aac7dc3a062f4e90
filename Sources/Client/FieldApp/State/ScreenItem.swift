import Coding
package import Forms
import Phrases

/// Something in the list of an inspection: a heading, a question, or the line of a repeat.
package struct ScreenItem: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// A section, by its number in the form.
        case section(Int)
        /// The row that is shown.
        case row(String)
        case group
        case question(Question)
        case repetition(Repetition)
        /// A newer version of the form is here.
        case newerVersion
        /// Above answers that the form does not ask for in this version.
        case orphans
        /// One of them, as it is shown: to be read, and to be gone to so that it comes into view.
        case orphan(String)
        /// The end of the list, where one is finished.
        case completion
    }

    package let kind: Kind
    /// What the focus hangs on; nil for a heading, which takes none.
    package let key: AnswerKey?
    /// In the language that is shown, with answers put in.
    package let label: String
    /// Groups around it that have a heading.
    package let depth: Int

    package var question: Question? {
        if case .question(let question) = kind { question } else { nil }
    }

    package var repetition: Repetition? {
        if case .repetition(let repetition) = kind { repetition } else { nil }
    }
}

extension AnswerKey {
    /// Where an inspection is completed: no question's path begins so.
    package static let completion = AnswerKey("@complete")
}

extension FormFilling {
    /// What is shown of the inspection itself, or of one row: what is not asked is left out, and so
    /// is a heading with nothing under it.
    package func items(in row: String?) -> [ScreenItem] {
        guard let row else {
            return form.sections.indices.flatMap { index -> [ScreenItem] in
                let inside = items(of: form.sections[index].items, in: nil, depth: 0)
                let title = text(form.sections[index].text, at: nil)
                return inside.isEmpty
                    ? [] : [heading(.section(index), title, depth: 0)] + inside
            } + orphanItems
        }
        guard let path = answers.row(row)?.path,
            let repetition = form.repetitions.first(where: { $0.path == path })
        else { return [] }
        return [heading(.row(row), name(ofRow: row), depth: 0)]
            + items(of: repetition.items, in: row, depth: 0)
    }

    /// Behind everything that is asked.
    private var orphanItems: [ScreenItem] {
        let orphans = orphans
        guard !orphans.isEmpty else { return [] }
        return [heading(.orphans, say("Not asked by this version, kept"), depth: 0)]
            + orphans.map { key in
                ScreenItem(
                    kind: .orphan(ShownText.clean(value(of: key).plainText)), key: key,
                    label: address(of: key), depth: 0)
            }
    }

    private func heading(_ kind: ScreenItem.Kind, _ label: String, depth: Int) -> ScreenItem {
        ScreenItem(kind: kind, key: nil, label: label, depth: depth)
    }

    private func items(of items: [FormItem], in row: String?, depth: Int) -> [ScreenItem] {
        items.flatMap { item -> [ScreenItem] in
            switch item {
            case .question(let question):
                let key = AnswerKey(row: row, question.path)
                guard isRelevant(key) else { return [] }
                return [
                    ScreenItem(
                        kind: .question(question), key: key, label: text(question.text, at: key),
                        depth: depth)
                ]
            case .group(let group): return self.items(of: group, in: row, depth: depth)
            case .repetition(let repetition):
                guard isAsked(repetition, in: row) else { return [] }
                return [
                    ScreenItem(
                        kind: .repetition(repetition), key: AnswerKey(row: row, repetition.path),
                        label: title(of: repetition, in: row), depth: depth)
                ]
            }
        }
    }

    private func items(of group: Group, in row: String?, depth: Int) -> [ScreenItem] {
        let title = group.text.map { text in
            self.text(text, at: group.path.map { AnswerKey(row: row, $0) })
        }
        guard let title, !title.isEmpty else {
            return items(of: group.items, in: row, depth: depth)
        }
        let inside = items(of: group.items, in: row, depth: depth + 1)
        return inside.isEmpty ? [] : [heading(.group, title, depth: depth)] + inside
    }

    /// What a repeat is called; never blank.
    package func title(of repetition: Repetition, in row: String?) -> String {
        let title = repetition.text.map { text($0, at: row.map { AnswerKey(row: $0, "") }) } ?? ""
        guard title.isEmpty else { return title }
        return repetition.path.split(separator: "/").last.map(String.init) ?? repetition.path
    }

    /// Everything that can be gone to, in the order of the form, rows each at the place of their
    /// repeat.
    package var everyKey: [AnswerKey] {
        form.sections.flatMap { keys(of: $0.items, in: nil) }
    }

    private func keys(of items: [FormItem], in row: String?) -> [AnswerKey] {
        items.flatMap { item -> [AnswerKey] in
            switch item {
            case .question(let question):
                let key = AnswerKey(row: row, question.path)
                return isRelevant(key) ? [key] : []
            case .group(let group): return keys(of: group.items, in: row)
            case .repetition(let repetition):
                guard isAsked(repetition, in: row) else { return [] }
                return [AnswerKey(row: row, repetition.path)]
                    + answers.rows(of: repetition.path, in: row).flatMap {
                        keys(of: repetition.items, in: $0.id)
                    }
            }
        }
    }
}

extension InspectionScreen {
    /// The sections of which something is asked, with their counts; rows count where their repeat
    /// stands.
    package var sections:
        [(index: Int, section: Section, title: String, progress: FormState.Progress)]
    {
        guard let filling, let form else { return [] }
        let sections = filling.form.sections
        return zip(sections.indices, form.sections).compactMap { index, progress in
            guard progress.isRelevant else { return nil }
            let title = filling.text(sections[index].text, at: nil)
            return (index, sections[index], title, progress)
        }
    }

    /// The section that a question or a row's question stands in.
    package func section(of key: AnswerKey) -> Int? {
        picture?.form.sections.firstIndex { $0.items.contains { $0.holds(key.path) } }
    }

    /// Of the repeat at a line of the list, or the one that the shown row is of.
    package var repetitionHere: (repetition: Repetition, parent: String?)? {
        if let item = focusedItem, let repetition = item.repetition {
            return (repetition, item.key?.row)
        }
        guard let filling, let row = row.flatMap({ filling.answers.row($0) }),
            let repetition = filling.form.repetitions.first(where: { $0.path == row.path })
        else { return nil }
        return (repetition, row.parent)
    }
}

extension FormItem {
    /// Whether a question or repeat of this path stands in it, in rows too.
    fileprivate func holds(_ path: String) -> Bool {
        switch self {
        case .question(let question): question.path == path
        case .group(let group): group.items.contains { $0.holds(path) }
        case .repetition(let repetition):
            repetition.path == path || repetition.items.contains { $0.holds(path) }
        }
    }
}
