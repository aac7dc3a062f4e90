/// A row of the survey that has a place in the record.
struct SurveyNode {
    enum Kind {
        case group, `repeat`
        case question(SurveyType)
    }

    var kind: Kind
    var name: String
    /// Absolute, as `/data/group/question`.
    var path: String
    /// The paths of the repeats that it stands in, outermost first; a repeat stands in itself.
    var repeats: [String]
    var row: TableRow
    var children: [SurveyNode] = []
    /// Set where a rule of the form asks for another than the row has.
    var appearance: String?
    /// Made by us, not by the author: shown with this label.
    var generatedLabel: String?
    var generatedRelevant: String?

    var isSection: Bool {
        if case .question = kind { false } else { true }
    }
}

/// Rows to a tree, by `begin` and `end`.
struct SurveyTree {
    private struct Open {
        var node: SurveyNode
        var names: Set<String> = []
    }

    private let table: Table
    private var stack: [Open]
    private(set) var warnings: WarningList
    /// Lists beside the form that are rows of their own (`csv-external`).
    private(set) var externals: [(id: String, kind: String, row: TableRow)] = []
    private(set) var hasAudit = false

    static func read(
        _ table: Table, root: String, _ warnings: inout WarningList
    ) throws(FormImportError) -> SurveyTree {
        var tree = SurveyTree(table, root: root, warnings)
        for row in table.rows { try tree.take(row) }
        try tree.finish()
        warnings = tree.warnings
        return tree
    }

    private init(_ table: Table, root: String, _ warnings: WarningList) {
        self.table = table
        self.warnings = warnings
        let row = TableRow(SheetRow(1), headings: [:], sheet: table.sheet)
        stack = [
            Open(
                node: SurveyNode(
                    kind: .group, name: root, path: "/" + root, repeats: [], row: row))
        ]
    }

    var root: SurveyNode { stack[0].node }

    private mutating func take(_ row: TableRow) throws(FormImportError) {
        if let disabled = row["disabled"], TableRow.isYes(disabled) { return }
        guard let text = row["type"] else {
            guard row["name"] != nil else { return }
            throw FormImportError(row.place("type"), "a question without type")
        }
        guard let type = SurveyType(text) else {
            throw FormImportError(row.place("type"), "the type \(text) is not known")
        }
        if ["background-audio", "osm"].contains(text.lowercased()) {
            warnings.unsupported("type \(text.lowercased())", at: row.place("type"))
        }
        switch type {
        case .beginGroup: try begin(.group, row)
        case .beginRepeat: try begin(.repeat, row)
        case .endGroup: try close(isRepeat: false, row)
        case .endRepeat: try close(isRepeat: true, row)
        case .external(let kind):
            externals.append((try name(of: row, type), kind, row))
        case .audit: hasAudit = true
        case .unsupported(let what):
            guard !what.hasSuffix("loop") else {
                throw FormImportError(row.place("type"), "\(what) is not read: use a repeat")
            }
            warnings.unsupported("type \(what)", at: row.place("type"))
        case .simple, .select:
            try add(try node(.question(type), try name(of: row, type), row))
        }
    }

    private mutating func begin(
        _ kind: SurveyNode.Kind, _ row: TableRow
    ) throws(FormImportError) {
        guard stack.count < 100 else {
            throw FormImportError(row.place("type"), "nested more than 100 deep")
        }
        let node = try node(kind, try name(of: row, .beginGroup), row)
        if node.name == "meta", stack.count == 1 {
            warnings.note(
                "a group named meta stands where the form keeps its own record of itself",
                kind: "meta", at: row.place("name"))
        }
        stack.append(Open(node: node))
    }

    private mutating func close(isRepeat: Bool, _ row: TableRow) throws(FormImportError) {
        guard stack.count > 1, let closed = stack.popLast() else {
            throw FormImportError(row.place("type"), "nothing has begun that could end here")
        }
        var wasRepeat = false
        if case .repeat = closed.node.kind { wasRepeat = true }
        guard wasRepeat == isRepeat else {
            throw FormImportError(
                row.place("type"),
                "this ends a \(isRepeat ? "repeat" : "group"), but \(closed.node.name) of row "
                    + "\(closed.node.row.number) has to end first")
        }
        try add(TableList.expanded(closed.node))
    }

    private mutating func add(_ node: SurveyNode) throws(FormImportError) {
        guard stack[stack.count - 1].names.insert(node.name).inserted else {
            throw FormImportError(
                node.row.place("name"),
                "\(node.name) is there twice in \(stack[stack.count - 1].node.name)")
        }
        stack[stack.count - 1].node.children.append(node)
        guard case .question(.select(let select)) = node.kind, select.hasOther else { return }
        var other = node.generated()
        other.kind = .question(.simple(SimpleType(control: .input)))
        other.name = node.name + "_other"
        other.path = node.path + "_other"
        other.generatedLabel = "Specify other."
        other.generatedRelevant = "selected(../\(node.name), 'other')"
        try add(other)
    }

    private func node(
        _ kind: SurveyNode.Kind, _ name: String, _ row: TableRow
    ) throws(FormImportError) -> SurveyNode {
        let parent = stack[stack.count - 1].node
        let path = parent.path + "/" + name
        var repeats = parent.repeats
        if case .repeat = kind { repeats.append(path) }
        return SurveyNode(kind: kind, name: name, path: path, repeats: repeats, row: row)
    }

    private func name(
        of row: TableRow, _ type: SurveyType
    ) throws(FormImportError) -> String {
        guard let name = row["name"] else {
            if case .simple(let simple) = type, simple.isReadonly {
                return "generated_note_name_\(row.number)"
            }
            throw FormImportError(row.place("name"), "a question or group without name")
        }
        guard Self.isName(name) else {
            throw FormImportError(
                row.place("name"),
                "\(name) cannot be a name: letters, digits, _ - . and a letter or _ in front")
        }
        return name
    }

    static func isName(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first,
            first.properties.isAlphabetic || first == "_", name.utf8.count <= 200
        else { return false }
        return name.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "_-.".unicodeScalars.contains(scalar)
        }
    }

    private func finish() throws(FormImportError) {
        guard stack.count == 1 else {
            let node = stack[stack.count - 1].node
            throw FormImportError(node.row.place("type"), "\(node.name) is never ended")
        }
    }
}

extension TableRow {
    static func isYes(_ text: String) -> Bool {
        ["yes", "true", "true()", "1"].contains(text.lowercased())
    }
}

/// A group that wants its questions as a table: a heading row of the choices, then the questions
/// without them.
enum TableList {
    static func expanded(_ group: SurveyNode) -> SurveyNode {
        guard case .group = group.kind,
            Appearance.words(group.row["appearance"]).contains("table-list"),
            let first = group.children.first(where: { $0.isSelect })
        else { return group }
        var group = group
        group.appearance = Appearance.words(group.row["appearance"]).map {
            $0 == "table-list" ? "field-list" : $0
        }.joined(separator: " ")
        for index in group.children.indices where group.children[index].isSelect {
            group.children[index].appearance = "list-nolabel"
        }
        var heading = first.generated()
        heading.name = "reserved_name_for_field_list_labels_\(first.row.number)"
        heading.path = group.path + "/" + heading.name
        heading.appearance = "label"
        heading.generatedLabel = " "
        group.children.insert(heading, at: 0)
        if let label = group.row["label"] {
            var note = heading
            note.kind = .question(.simple(SimpleType(control: .input, isReadonly: true)))
            note.name = "generated_table_list_label_\(group.row.number)"
            note.path = group.path + "/" + note.name
            note.appearance = ""
            note.generatedLabel = label
            group.children.insert(note, at: 0)
        }
        return group
    }
}

extension SurveyNode {
    /// A copy that has the row's number and none of its rules.
    func generated() -> SurveyNode {
        var copy = self
        copy.row = TableRow(SheetRow(row.number), headings: [:], sheet: row.sheet)
        return copy
    }

    var isSelect: Bool {
        if case .question(.select) = kind { true } else { false }
    }
}
