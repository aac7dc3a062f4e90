/// What another version of a form asks otherwise.
package struct FormDifference: Equatable, Sendable {
    package struct Renaming: Equatable, Sendable {
        package let old: String
        package let new: String
    }

    /// One side of one question, in words of the compiled format.
    package struct Change: Equatable, Sendable {
        package let path: String
        /// `type`, `choices`, `relevant`, …
        package let aspect: String
        package let old: String?
        package let new: String?
    }

    package let added: [String]
    package let removed: [String]
    /// Of those, what seems to be the same question under another name.
    package let renamed: [Renaming]
    package let changed: [Change]

    package init(from old: FormDefinition, to new: FormDefinition) {
        let added = new.allQuestions.filter { old.index(of: $0.path) == nil }
        let removed = old.allQuestions.filter { new.index(of: $0.path) == nil }
        self.added = added.map(\.path)
        self.removed = removed.map(\.path)
        renamed = Self.renamings(removed, added)
        changed = old.allQuestions.flatMap { question -> [Change] in
            guard let index = new.index(of: question.path) else { return [] }
            return Self.changes(
                Aspects(question, of: old), Aspects(new.allQuestions[index], of: new))
        }
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty }

    /// A question that left and one that came, of the same type, with the same name in another group
    /// or the same label, where no other fits as well.
    private static func renamings(_ removed: [Question], _ added: [Question]) -> [Renaming] {
        func label(_ question: Question) -> String { question.label.lowercased() }
        var renamings: [Renaming] = []
        var free = added
        for fits in [{ $0.name == $1.name }, { label($0) == label($1) }]
            as [(Question, Question) -> Bool]
        {
            for old in removed where !renamings.contains(where: { $0.old == old.path }) {
                let candidates = free.filter { fits(old, $0) && $0.type.word == old.type.word }
                let rivals = removed.filter { fits(old, $0) && $0.type.word == old.type.word }
                guard candidates.count == 1, rivals.count == 1 else { continue }
                renamings.append(Renaming(old: old.path, new: candidates[0].path))
                free.removeAll { $0.path == candidates[0].path }
            }
        }
        return renamings
    }

    private static func changes(_ old: Aspects, _ new: Aspects) -> [Change] {
        let names = Set(old.words.keys).union(new.words.keys).sorted()
        return names.compactMap { name in
            guard old.words[name] != new.words[name] else { return nil }
            return Change(
                path: old.path, aspect: name, old: old.words[name], new: new.words[name])
        }
    }
}

/// All that is said of one question, as words; what is not said is absent.
private struct Aspects {
    let path: String
    private(set) var words: [String: String] = [:]

    init(_ question: Question, of form: FormDefinition) {
        path = question.path
        words["type"] = question.type.word
        words["label"] = question.label
        words["hint"] = question.hint
        words["unit"] = question.unit
        words["merge"] = question.merge
        words["initial"] = question.initial
        words["repeat"] = form.repetition(around: question.path)?.path
        if question.isHidden { words["hidden"] = "true" }
        if !question.choices.isEmpty {
            words["choices"] = question.choices.map { choice in
                choice.name + (choice.verdict.map { "=\($0.rawValue)" } ?? "")
            }.joined(separator: " ")
        }
        if !question.comments.isEmpty {
            words["comments"] = question.comments.choices.map(\.name).joined(separator: " ")
        }
        for (name, limit) in question.limits.named {
            words[name] = limit.map(plainNumber)
        }
        for (name, expression) in question.rules.named where name != "relevant" {
            words[name] = expression.source
        }
        words["filter"] = question.filter?.nodeset.source
        let relevant = form.relevance(of: question.path)
        if !relevant.isEmpty {
            words["relevant"] = relevant.map(\.source).joined(separator: " and ")
        }
        if question.weight != 1 { words["weight"] = plainNumber(question.weight) }
        for (name, flag) in [
            ("previous", question.previous), ("critical", question.critical),
            ("photoOnFail", question.photoOnFail), ("findingOnFail", question.findingOnFail),
        ] where flag {
            words[name] = "true"
        }
    }
}

extension FormDefinition {
    /// What must hold for a question to be asked: its own rules and those of what it stands in, the
    /// outermost first.
    package func relevance(of path: String) -> [FormExpression] {
        let outer = path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
        return (outer + [path]).flatMap { rules[$0]?.relevant ?? [] }
    }
}
