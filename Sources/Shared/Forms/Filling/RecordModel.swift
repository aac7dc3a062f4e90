/// The record that a form fills, as a tree of names: groups, repeats and values. Expressions walk in it.
package struct RecordNode: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case group
        case repetition
        /// Index among the form's `allQuestions`.
        case value(Int)
    }

    package var name: String
    /// From the record's root, without it.
    package var path: String
    package var kind: Kind
    package var children: [RecordNode] = []
}

/// Puts the paths of questions and repeats together to the tree that they name.
struct RecordBuilding {
    private var root: Branch

    /// Classes, so that growing a tree of paths copies nothing.
    private final class Branch {
        let name: String
        let path: String
        var kind = RecordNode.Kind.group
        var children: [Branch] = []
        private var byName: [String: Branch] = [:]

        init(name: String, path: String) {
            self.name = name
            self.path = path
        }

        func child(_ name: String) -> Branch {
            if let child = byName[name] { return child }
            let child = Branch(name: name, path: path.isEmpty ? name : path + "/" + name)
            byName[name] = child
            children.append(child)
            return child
        }

        /// No deeper than a path has parts, which `FormLimits.nameBytes` bounds.
        var node: RecordNode {
            RecordNode(name: name, path: path, kind: kind, children: children.map(\.node))
        }
    }

    init(root name: String) {
        root = Branch(name: name, path: "")
    }

    mutating func add(_ path: String, _ kind: RecordNode.Kind) {
        var branch = root
        for part in path.split(separator: "/") { branch = branch.child(String(part)) }
        branch.kind = kind
    }

    var node: RecordNode { root.node }
}
