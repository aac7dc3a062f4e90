package import Coding

/// The answers of one inspection as the tree in which its expressions walk, and which node of it is
/// which answer.
struct RecordTree: Sendable {
    let tree: NodeTree
    /// For each node, its path from the root; empty for the document and the root.
    let paths: [String]
    /// For each node, the row that it stands in.
    let rows: [String?]
    /// For each node, the index of its question; nil for groups and rows.
    let questions: [Int?]
    private let indices: [AnswerKey: Int]
    private let indicesByPath: [String: [Int]]

    init(_ form: FormDefinition, _ answers: FormAnswers) {
        var building = Building(answers, kinds: form.kinds)
        let root = building.element(form.record, row: nil)
        tree = NodeTree(root: root)
        paths = building.paths
        rows = building.rows
        questions = building.questions
        var indices: [AnswerKey: Int] = [:]
        var byPath: [String: [Int]] = [:]
        for index in paths.indices.dropFirst(2) {
            indices[AnswerKey(row: rows[index], paths[index])] = index
            byPath[paths[index], default: []].append(index)
        }
        self.indices = indices
        indicesByPath = byPath
    }

    func index(of key: AnswerKey) -> Int? { indices[key] }
    func indices(of path: String) -> [Int] { indicesByPath[path] ?? [] }
    func key(at index: Int) -> AnswerKey { AnswerKey(row: rows[index], paths[index]) }

    /// Notes each node as it is made, in the order of the document, which is that of the tree.
    private struct Building {
        private let fields: [String: FieldValue]
        /// By the repeat and what it stands in.
        private let answered: [AnswerKey: [FormAnswers.Row]]
        private let kinds: AnswerKinds
        var paths = [""]
        var rows: [String?] = [nil]
        var questions: [Int?] = [nil]

        init(_ answers: FormAnswers, kinds: AnswerKinds) {
            self.kinds = kinds
            fields = answers.fields
            answered = Dictionary(grouping: answers.rows) { AnswerKey(row: $0.parent, $0.path) }
        }

        mutating func element(_ node: RecordNode, row: FormAnswers.Row?) -> NodeContent {
            paths.append(node.path)
            rows.append(row?.id)
            var content = NodeContent(node.name)
            switch node.kind {
            case .value(let question):
                questions.append(question)
                let fields = row?.fields ?? self.fields
                content.text = (fields[node.path] ?? .null).formText
                content.kinds = kinds[node.path]
            case .group, .repetition:
                questions.append(nil)
                content.children = children(of: node, row: row)
            }
            return content
        }

        private mutating func children(
            of node: RecordNode, row: FormAnswers.Row?
        ) -> [NodeContent] {
            var children: [NodeContent] = []
            for child in node.children {
                guard child.kind == .repetition else {
                    children.append(element(child, row: row))
                    continue
                }
                for each in answered[AnswerKey(row: row?.id, child.path)] ?? [] {
                    children.append(element(child, row: each))
                }
            }
            return children
        }
    }
}

extension FieldValue {
    /// As expressions see it: numbers without exponent.
    package var formText: String {
        switch self {
        case .null: ""
        case .integer(let value): String(value)
        case .double(let value): NumberText.write(value)
        case .string(let text): text
        }
    }
}
