/// Nodes, documents and lists.
enum NodeFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("instance", .exactly(1), instance),
        ExpressionFunction("current", .exactly(0)) { call in .nodes([call.evaluation.origin]) },
        ExpressionFunction("pulldata", .listOrPoint, pullData),
        ExpressionFunction("name", .between(0, 1), name),
        ExpressionFunction("local-name", .between(0, 1), localName),
        ExpressionFunction("namespace-uri", .between(0, 1), namespace),
        ExpressionFunction("last", .exactly(0)) { call in
            .number(Double(call.context.place?.count ?? 1))
        },
        ExpressionFunction("randomize", .between(1, 2), randomize),
        ExpressionFunction("version", .exactly(0)) { call in
            .text(call.surroundings.formVersion)
        },
        ExpressionFunction("property", .exactly(1), property),
    ]

    private static func tree(
        _ id: String, _ call: Arguments
    ) throws(ExpressionError) -> NodeTree {
        let surroundings = call.surroundings
        guard let tree = surroundings.instances[id] ?? surroundings.lists[id]?.tree else {
            throw ExpressionError(
                .unknownInstance, at: call.call.place,
                "the form has no list \"\(ShownText.clean(String(id.prefix(60))))\"")
        }
        return tree
    }

    @Sendable
    private static func instance(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .nodes([try tree(try call.text(0), call).document])
    }

    /// `pulldata('pumps', 'size', 'tag', ${tag})`: from the first row whose `tag` is this, its `size`.
    @Sendable
    private static func pullData(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        if call.count == 3 { return try partOfPoint(call) }
        let list = try tree(try call.text(0), call)
        let column = try call.text(1)
        let keyColumn = try call.text(2)
        let key = try call.text(3)
        guard let column = list.number(of: column), let keyColumn = list.number(of: keyColumn)
        else { return .empty }
        guard let row = try row(of: list, whose: keyColumn, is: key, call) else { return .empty }
        let cell = list.entries[row].children.first { list.entries[$0].name == column }
        return .text(cell.map { list.entries[$0].text } ?? "")
    }

    /// The first row of which a cell is this text; a row without such a cell is not blank but none.
    private static func row(
        of list: NodeTree, whose column: Int, is key: String, _ call: Arguments
    ) throws(ExpressionError) -> Int? {
        let index = list.columns.index(
            of: ColumnIndexes.Column(parent: list.root.index, row: nil, name: column), in: list)
        if let index, index.isFlat {
            try call.evaluation.spend(1, at: call.call.place)
            return index.rows[key]?.first
        }
        let rows = list.root.entry.children
        try call.evaluation.spend(rows.count * 2, at: call.call.place)
        return rows.first { row in
            list.entries[row].children.contains { cell in
                list.entries[cell].name == column && list.entries[cell].text == key
            }
        }
    }

    /// `pulldata('@geopoint', ${where}, 'x')`, as Survey123 has it: a number of a point. What a point does
    /// not tell is blank.
    private static func partOfPoint(
        _ call: Arguments
    ) throws(ExpressionError) -> ExpressionValue {
        guard let point = GeoPoint(try call.text(1)) else { return .empty }
        switch try call.text(2).lowercased() {
        case "x", "longitude": return .number(point.east)
        case "y", "latitude": return .number(point.north)
        case "z", "altitude": return .number(point.altitude)
        case "horizontalaccuracy": return .number(point.accuracy)
        default: return .empty
        }
    }

    private static func node(_ call: Arguments) throws(ExpressionError) -> Node? {
        call.count == 0 ? call.context.node : try call.nodes(0).first
    }

    @Sendable
    private static func name(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .text(try node(call)?.name ?? "")
    }

    @Sendable
    private static func localName(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let name = try node(call)?.name ?? ""
        return .text(name.split(separator: ":").last.map { String($0) } ?? "")
    }

    /// Names keep the prefix that their document gave them; namespaces are not kept.
    @Sendable
    private static func namespace(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        _ = try node(call)
        return .empty
    }

    @Sendable
    private static func property(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        .text(call.surroundings.property(try call.text(0)) ?? "")
    }

    /// The nodes in random order; with a seed in the order that ODK defines for it.
    @Sendable
    private static func randomize(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        var nodes = try call.nodes(0)
        try call.evaluation.spend(nodes.count, at: call.call.place)
        var seeded: SeededFractions?
        if call.count == 2 { seeded = SeededFractions(seed: try call.integer(1) ?? 0) }
        // Fisher and Yates, inside out: the draw for the first node counts too.
        for place in nodes.indices {
            let fraction = seeded?.next() ?? call.surroundings.randomFraction()
            nodes.swapAt(place, min(max(0, Int(fraction * Double(place + 1))), place))
        }
        return .nodes(nodes)
    }
}

/// The generator of Park and Miller (1988) that ODK's shuffle is defined by.
struct SeededFractions {
    private static let modulus = 2_147_483_647
    private var state: Int

    init(seed: Int) {
        state = seed % Self.modulus
        if state <= 0 { state += Self.modulus - 1 }
    }

    mutating func next() -> Double {
        state = state * 16_807 % Self.modulus
        return Double(state - 1) / Double(Self.modulus - 1)
    }
}
