/// A document to evaluate against: the answers of a form, or a list of choices.
///
/// One flat array, names as numbers. Repeats are equal siblings. The node 0 is the document, above the
/// root element.
///
/// Sendable because nothing changes it once it is shared: only `edited` writes, to a copy that nobody
/// else has seen.
package final class NodeTree: @unchecked Sendable {
    struct Entry: Sendable {
        var name: Int
        var parent: Int
        /// Elements inside, in document order.
        var children: [Int]
        var text: String
        var attributes: [NodeContent.Attribute]
        /// How many nodes there are in it, itself included.
        var size = 1
        /// What a text may be besides a text.
        var kinds: NodeContent.Kinds
        /// Which of its equally named siblings it is, from 1.
        var position = 1
        /// Whether the answer counts; false for what a form hides at the moment.
        var isRelevant = true
    }

    private(set) var entries: [Entry]
    private let names: [String]
    private let numbers: [String: Int]
    private var irrelevant = 0
    /// Of lists, which nothing changes: whoever looks into a copy for `edited` goes another way.
    let columns = ColumnIndexes()

    /// The names of elements as numbers; other trees number otherwise.
    func number(of name: String) -> Int? { numbers[name] }
    func name(of index: Int) -> String { names[entries[index].name] }

    /// - Parameter attributes: of the document, as `instance('pumps')/@id` asks for.
    package init(root: NodeContent, attributes: [NodeContent.Attribute] = []) {
        var building = Building()
        building.add(root)
        building.countSizes()
        building.countSiblings()
        building.entries[0].attributes = attributes
        entries = building.entries
        names = building.names
        numbers = building.numbers
    }

    private init(copying tree: NodeTree) {
        entries = tree.entries
        names = tree.names
        numbers = tree.numbers
        irrelevant = tree.irrelevant
    }

    package var document: Node { Node(tree: self, index: 0) }
    /// The outermost element.
    package var root: Node { Node(tree: self, index: min(1, entries.count - 1)) }

    /// A copy with changes. Nodes of the copy may be evaluated between the changes; it is not to be
    /// kept by `change`.
    package func edited(_ change: (Editor) -> Void) -> NodeTree {
        let copy = NodeTree(copying: self)
        change(Editor(tree: copy))
        return copy
    }

    /// Changes a copy of a tree before it is shared.
    package struct Editor {
        package let tree: NodeTree

        package func set(text: String, at index: Int) {
            tree.entries[index].text = text
        }

        /// Whether the answer of a node counts; what is in it is set by itself.
        package func set(isRelevant: Bool, at index: Int) {
            guard tree.entries[index].isRelevant != isRelevant else { return }
            tree.entries[index].isRelevant = isRelevant
            tree.irrelevant += isRelevant ? -1 : 1
        }
    }

    /// The same tree with another text at one node, which keeps its place.
    package func replacing(text: String, at node: Node) -> NodeTree {
        guard entries.indices.contains(node.index) else { return self }
        return edited { $0.set(text: text, at: node.index) }
    }

    /// The same tree in which these nodes, and all that is in them, do not count: no path finds them,
    /// as if they had never been answered. They keep their places among their siblings.
    package func hiding(_ hidden: [Node]) -> NodeTree {
        edited { editor in
            for index in entries.indices { editor.set(isRelevant: true, at: index) }
            for node in hidden where entries.indices.contains(node.index) {
                for index in node.index..<(node.index + entries[node.index].size) {
                    editor.set(isRelevant: false, at: index)
                }
            }
        }
    }

    /// The nodes that count.
    func relevant(_ nodes: [Node]) -> [Node] {
        irrelevant == 0
            ? nodes : nodes.filter { $0.tree !== self || entries[$0.index].isRelevant }
    }

    package func node(at index: Int) -> Node { Node(tree: self, index: index) }

    private struct Building {
        var entries = [
            Entry(
                name: 0, parent: -1, children: [], text: "", attributes: [], kinds: [])
        ]
        var names = [""]
        var numbers = ["": 0]

        /// Without recursion: a document may be deeper than the stack.
        mutating func add(_ root: NodeContent) {
            var waiting = [(content: root, parent: 0)]
            while let (content, parent) = waiting.popLast() {
                let index = entries.count
                entries.append(
                    Entry(
                        name: number(content.name), parent: parent, children: [],
                        text: content.text, attributes: content.attributes,
                        kinds: content.kinds))
                entries[parent].children.append(index)
                waiting += content.children.reversed().map { ($0, index) }
            }
        }

        /// Parents stand before their children.
        mutating func countSizes() {
            for index in entries.indices.dropFirst().reversed() {
                entries[entries[index].parent].size += entries[index].size
            }
        }

        mutating func countSiblings() {
            for parent in entries.indices {
                let children = entries[parent].children
                guard children.count > 1 else { continue }
                var counts: [Int: Int] = [:]
                for child in children {
                    let position = (counts[entries[child].name] ?? 0) + 1
                    counts[entries[child].name] = position
                    entries[child].position = position
                }
            }
        }

        private mutating func number(_ name: String) -> Int {
            if let number = numbers[name] { return number }
            let number = names.count
            names.append(name)
            numbers[name] = number
            return number
        }
    }
}

/// What a tree is made from: an element with its text, or with elements inside.
package struct NodeContent: Equatable, Sendable {
    package struct Attribute: Equatable, Sendable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var name: String
    package var text: String
    package var attributes: [Attribute]
    package var children: [NodeContent]
    package var kinds: Kinds = []

    /// What a text may be besides a text.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// `true` and `false` are truths and no words.
        package static let truth = Kinds(rawValue: 1)
        /// `0` is the number, which is not true, and no word.
        package static let number = Kinds(rawValue: 2)
    }

    package init(
        _ name: String, text: String = "", attributes: [Attribute] = [],
        children: [NodeContent] = []
    ) {
        self.name = name
        self.text = text
        self.attributes = attributes
        self.children = children
    }

    /// What stands in a form for the inspection that was saved last: a record without answers. Each device
    /// lays its own over it, where it has one.
    /// - Parameter root: the name of the record's root.
    package static func lastSaved(root: String) -> NodeContent {
        let source = Attribute(name: "src", value: "jr://instance/last-saved")
        return NodeContent(root, attributes: [source])
    }
}

/// One element or attribute of a tree, or its document.
package struct Node: Hashable, Sendable {
    package let tree: NodeTree
    package let index: Int
    /// Which of the element's attributes it is; −1 for the element itself.
    let attribute: Int

    init(tree: NodeTree, index: Int, attribute: Int = -1) {
        self.tree = tree
        self.index = index
        self.attribute = attribute
    }

    var entry: NodeTree.Entry { tree.entries[index] }
    var isAttribute: Bool { attribute >= 0 }
    package var isDocument: Bool { index == 0 }

    package var name: String {
        isAttribute ? entry.attributes[attribute].name : tree.name(of: index)
    }

    package var parent: Node? {
        if isAttribute { return Node(tree: tree, index: index) }
        let parent = tree.entries[index].parent
        return parent < 0 ? nil : Node(tree: tree, index: parent)
    }

    package var children: [Node] {
        isAttribute ? [] : entry.children.map { Node(tree: tree, index: $0) }
    }

    /// Which of its equally named siblings it is, from 1.
    package var position: Int {
        isAttribute ? 1 : tree.entries[index].position
    }

    /// Its text, as a truth where it is one.
    var value: ExpressionValue {
        let text = text
        guard !isAttribute, entry.kinds.contains(.truth), let truth = Bool(text) else {
            return .text(text)
        }
        return .boolean(truth)
    }

    /// What it is as a condition.
    var isTrue: Bool {
        let value = value
        guard case .text(let text) = value, !isAttribute, entry.kinds.contains(.number),
            let number = NumberText.parse(text)
        else { return value.boolean }
        return ExpressionValue.number(number).boolean
    }

    /// Its text, or the text of all elements inside.
    package var text: String {
        if isAttribute { return entry.attributes[attribute].value }
        let children = tree.entries[index].children
        if children.isEmpty { return tree.entries[index].text }
        var text = tree.entries[index].text
        var waiting = Array(children.reversed())
        while let next = waiting.popLast() {
            text += tree.entries[next].text
            waiting += tree.entries[next].children.reversed()
        }
        return text
    }

    package static func == (left: Node, right: Node) -> Bool {
        left.tree === right.tree && left.index == right.index
            && left.attribute == right.attribute
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(tree))
        hasher.combine(index)
        hasher.combine(attribute)
    }
}

extension Node {
    /// The text of its first child of that name; empty where there is none.
    func text(ofChild name: String) -> String {
        guard !isAttribute, let number = tree.number(of: name),
            let child = tree.entries[index].children.first(where: {
                tree.entries[$0].name == number
            })
        else { return "" }
        return tree.node(at: child).text
    }
}
