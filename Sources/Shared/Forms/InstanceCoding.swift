import Coding

/// Lists to look things up in, in the compiled format. One that is a table, as nearly all are, is
/// written as columns and rows; any other as its nodes in order, each with its depth.
enum InstanceCoding {
    static func json(of root: NodeContent) -> JSON {
        guard let table = Table(root) else {
            var nodes: [JSON] = []
            write(root, depth: 0, to: &nodes)
            return .object(["nodes": .array(nodes)])
        }
        return .object([
            "root": .string(root.name), "row": .string(table.row),
            "columns": .array(table.columns.map { .string($0) }),
            "rows": .array(table.cells.map { .array($0.map { .string($0) }) }),
        ])
    }

    private static func write(_ node: NodeContent, depth: Int, to nodes: inout [JSON]) {
        var fields: [JSON] = [.integer(Int64(depth)), .string(node.name), .string(node.text)]
        if !node.attributes.isEmpty {
            fields.append(
                .array(node.attributes.flatMap { [.string($0.name), .string($0.value)] }))
        }
        nodes.append(.array(fields))
        for child in node.children { write(child, depth: depth + 1, to: &nodes) }
    }

    /// Rows of one name, each with the same elements in the same order.
    private struct Table {
        var row: String
        var columns: [String]
        var cells: [[String]]

        init?(_ root: NodeContent) {
            guard let first = root.children.first, root.attributes.isEmpty, root.text.isEmpty
            else { return nil }
            row = first.name
            columns = first.children.map(\.name)
            cells = []
            guard !columns.isEmpty else { return nil }
            for child in root.children {
                guard child.name == row, child.attributes.isEmpty, child.text.isEmpty,
                    child.children.map(\.name) == columns,
                    child.children.allSatisfy({ $0.children.isEmpty && $0.attributes.isEmpty })
                else { return nil }
                cells.append(child.children.map(\.text))
            }
        }
    }

    static func content(reading reader: FormReader) throws(FormError) -> NodeContent {
        let members = try reader.members()
        if let nodes = try members.optionalList("nodes", atMost: FormLimits.instanceNodes) {
            return try tree(of: nodes, at: reader.path)
        }
        let row = try members.text("row")
        let columns = try members.texts("columns")
        var root = NodeContent(try members.text("root"))
        for reader in try members.list("rows", atMost: FormLimits.instanceNodes) {
            let cells = try reader.texts()
            guard cells.count == columns.count else {
                throw FormError(
                    .malformed, at: reader.path, "expected \(columns.count) texts")
            }
            root.children.append(
                NodeContent(row, children: zip(columns, cells).map { NodeContent($0, text: $1) }))
        }
        return root
    }

    /// Puts nodes with their depths together, innermost first.
    private static func tree(
        of readers: [FormReader], at place: String
    ) throws(FormError) -> NodeContent {
        var open: [NodeContent] = []
        for reader in readers {
            guard case .array(let fields) = reader.json, fields.count >= 3,
                case .integer(let depth) = fields[0], case .string(let name) = fields[1],
                case .string(let text) = fields[2], depth >= (open.isEmpty ? 0 : 1),
                depth <= open.count, depth <= FormLimits.depth
            else {
                throw FormError(
                    .malformed, at: reader.path, "expected a depth, a name and a text")
            }
            close(&open, downTo: Int(depth))
            var node = NodeContent(name, text: text)
            if fields.count > 3 {
                let texts = try FormReader(fields[3], at: reader.path + "[3]").texts()
                node.attributes = stride(from: 0, to: texts.count - 1, by: 2).map {
                    NodeContent.Attribute(name: texts[$0], value: texts[$0 + 1])
                }
            }
            open.append(node)
        }
        close(&open, downTo: 1)
        guard let root = open.first else {
            throw FormError(.malformed, at: place, "a list needs an outermost node")
        }
        return root
    }

    private static func close(_ open: inout [NodeContent], downTo depth: Int) {
        while open.count > max(depth, 1), let node = open.popLast() {
            open[open.count - 1].children.append(node)
        }
    }
}
