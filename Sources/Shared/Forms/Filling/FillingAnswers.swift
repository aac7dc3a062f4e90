package import Coding

extension FormFilling {
    package func isRelevant(_ key: AnswerKey) -> Bool {
        nodes.index(of: key).map { tree.entries[$0].isRelevant } ?? false
    }

    /// The answer, calculated ones included.
    package func value(of key: AnswerKey) -> FieldValue { answers[key] }

    func check(of key: AnswerKey) -> NodeCheck {
        nodes.index(of: key).map { checks[$0] } ?? NodeCheck()
    }

    package func isReadonly(_ key: AnswerKey) -> Bool {
        form.rules[key.path]?.calculate != nil || check(of: key).isReadonly
    }

    package func isRequired(_ key: AnswerKey) -> Bool { check(of: key).isRequired }

    package func changes(from before: FormAnswers) -> Set<AnswerKey> {
        var keys = Set(keysInOrder)
        keys.formUnion(before.fields.keys.map { AnswerKey($0) })
        let values = Dictionary(
            before.rows.map { ($0.id, $0.fields) }, uniquingKeysWith: { first, _ in first })
        return keys.filter { key in
            let fields = key.row.map { values[$0] ?? [:] } ?? before.fields
            return (fields[key.path] ?? .null) != answers[key]
        }
    }

    /// The answers to what is asked as things stand; those to what the form hides are kept beside.
    package var askedAnswers: FormAnswers {
        var asked = answers
        for key in keysInOrder where !isRelevant(key) { asked[key] = .null }
        return asked
    }

    /// The record as others would have it: without the answers to what is not asked.
    package var submission: NodeTree { RecordTree(form, askedAnswers).tree }

    /// Where each answer of the inspection and its rows stands, in the order of the record.
    package var keysInOrder: [AnswerKey] {
        nodes.questions.indices.compactMap { nodes.questions[$0] == nil ? nil : nodes.key(at: $0) }
    }
}
