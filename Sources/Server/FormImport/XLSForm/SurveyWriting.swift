/// Makes record, binds, actions and body of the rows of a survey.
struct SurveyWriting {
    private let settings: FormSettings
    private let root: SurveyNode
    var captions: CaptionWriting
    var itemsets: ItemsetWriting
    var warnings: WarningList
    private(set) var binds: [XFormBind] = []
    private(set) var actions: [XFormAction] = []

    init(
        root: SurveyNode, settings: FormSettings, captions: CaptionWriting,
        itemsets: ItemsetWriting, warnings: WarningList
    ) {
        self.root = root
        self.settings = settings
        self.captions = captions
        self.itemsets = itemsets
        self.warnings = warnings
    }

    /// The items of the body and the nodes of the record, in the order of the rows.
    mutating func write() throws(FormImportError) -> (body: [BodyItem], nodes: [InstanceNode]) {
        try write(root.children)
    }

    private mutating func write(
        _ nodes: [SurveyNode]
    ) throws(FormImportError) -> (body: [BodyItem], nodes: [InstanceNode]) {
        var body: [BodyItem] = []
        var record: [InstanceNode] = []
        for node in nodes {
            noteForeignColumns(of: node)
            var instance = InstanceNode(node.name, at: node.row.place("name"))
            switch node.kind {
            case .group:
                let written = try write(node.children)
                instance.children = written.nodes
                try sectionBind(of: node)
                var group = try group(of: node)
                group.items = written.body
                body.append(.group(group))
            case .repeat:
                try countNode(of: node, &record)
                try sectionBind(of: node)
                let written = try write(node.children)
                instance.children = written.nodes
                // The reference writes a first row; who wants none says so.
                instance.isTemplate = node.row["walkdown::empty"].map(TableRow.isYes) ?? false
                var group = try group(of: node)
                group.appearance = []
                group.items = [.repeat(try repeated(node, items: written.body))]
                body.append(.group(group))
            case .question(let type):
                if let control = try question(node, type, &instance) {
                    body.append(.control(control))
                }
            }
            record.append(instance)
        }
        return (body, record)
    }

    private mutating func group(of node: SurveyNode) throws(FormImportError) -> BodyGroup {
        var group = BodyGroup(path: node.path, place: node.row.place("type"))
        group.label = try captions.label(of: node)
        group.hint = try captions.hint(of: node)
        group.appearance = appearance(of: node)
        return group
    }

    private mutating func repeated(
        _ node: SurveyNode, items: [BodyItem]
    ) throws(FormImportError) -> BodyRepeat {
        var item = BodyRepeat(path: node.path, place: node.row.place("type"))
        item.appearance = appearance(of: node)
        item.items = items
        guard let count = node.row["repeat_count"] else { return item }
        let isReference = count.hasPrefix("${") && count.firstIndex(of: "}") == count.indices.last
        let text = isReference ? count : "${\(node.name)_count}"
        let place = node.row.place("repeat_count")
        item.count = ExpressionText(
            isReference
                ? try captions.references.resolved(text, at: node, place: place)
                : NameReferences.relative(node.path + "_count", from: node.path), at: place)
        if !isReference, node.repeats.count == 1 {
            item.count = ExpressionText(node.path + "_count", at: place)
        }
        return item
    }

    /// A count that is more than the name of a question gets a node of its own.
    private mutating func countNode(
        of node: SurveyNode, _ record: inout [InstanceNode]
    ) throws(FormImportError) {
        guard let count = node.row["repeat_count"],
            !(count.hasPrefix("${") && count.firstIndex(of: "}") == count.indices.last)
        else { return }
        let place = node.row.place("repeat_count")
        var outside = node
        outside.path += "_count"
        outside.repeats.removeLast()
        var bind = XFormBind(outside.path, at: place)
        bind.type = "string"
        bind.readonly = ExpressionText("true()", at: place)
        bind.calculate = ExpressionText(
            try captions.references.resolved(
                TableRow.straightQuotes(count), at: outside, place: place), at: place)
        binds.append(bind)
        record.append(InstanceNode(node.name + "_count", at: place))
    }

    private mutating func appearance(of node: SurveyNode) -> [String] {
        Appearance.read(
            node.appearance ?? node.row["appearance"], at: node.row.place("appearance"),
            &warnings)
    }

    /// `bind::esri:fieldType` and its like: passed over; said once when nobody declared the prefix.
    private mutating func noteForeignColumns(of node: SurveyNode) {
        for prefix in ["bind", "body", "control", "instance"] {
            for name in node.row.members(of: prefix).keys.sorted() {
                guard let colon = name.firstIndex(of: ":") else { continue }
                let declared = settings.prefixes.contains(String(name[..<colon]))
                guard !declared else { continue }
                warnings.note(
                    "the prefix \(name[..<colon]): of a column is not declared; passed over",
                    kind: "prefix \(name[..<colon])", at: node.row.place("\(prefix)::\(name)"))
            }
        }
        if node.row["save_to"] != nil {
            warnings.unsupported("entities (save_to)", at: node.row.place("save_to"))
        }
    }

    mutating func append(_ bind: XFormBind) { binds.append(bind) }

    mutating func append(_ action: XFormAction) { actions.append(action) }

    mutating func rule(
        _ column: String, of node: SurveyNode
    ) throws(FormImportError) -> ExpressionText? {
        guard let text = node.row.expression(column) else { return nil }
        let place = node.row.place(column)
        return ExpressionText(
            try captions.references.resolved(text, at: node, place: place), at: place)
    }

    private mutating func sectionBind(of node: SurveyNode) throws(FormImportError) {
        var bind = XFormBind(node.path, at: node.row.place())
        bind.relevant = try rule("relevant", of: node)
        bind.readonly = try rule("readonly", of: node)
        if bind.relevant != nil || bind.readonly != nil { binds.append(bind) }
    }
}
