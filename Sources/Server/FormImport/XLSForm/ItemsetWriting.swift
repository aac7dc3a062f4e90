/// From where a question takes its choices.
struct ItemsetWriting {
    let lists: ChoiceLists
    let external: ChoiceLists
    /// Files that questions name, by the id of their instance.
    private(set) var files: [String: SecondaryInstance] = [:]
    private(set) var usedLists: Set<String> = []

    init(lists: ChoiceLists, external: ChoiceLists) {
        self.lists = lists
        self.external = external
    }

    static func externalID(_ list: String) -> String { "external_\(list)" }

    mutating func itemset(
        _ select: SelectType, of node: SurveyNode, _ references: inout NameReferences
    ) throws(FormImportError) -> Itemset {
        let parameters = Parameters(node.row["parameters"])
        let place = node.row.place("type")
        var value = "name"
        var label = ItemsetLabel.child("label")
        var nodeset: String
        switch select.source {
        case .list(let list):
            guard lists.holds(list) else {
                throw FormImportError(place, "there is no list \(list) in the sheet choices")
            }
            usedLists.insert(list)
            nodeset = "instance('\(list)')/root/item"
            if lists.usesTexts(list) { label = .text("itextId") }
        case .externalList(let list):
            guard external.holds(list) else {
                throw FormImportError(
                    place, "there is no list \(list) in the sheet external_choices")
            }
            nodeset = "instance('\(Self.externalID(list))')/root/item"
        case .file(let file):
            let id = try instance(of: file, place)
            nodeset = "instance('\(id)')/root/item"
            let isGeo = file.lowercased().hasSuffix(".geojson")
            value = parameters["value"] ?? (isGeo ? "id" : "name")
            label = .child(parameters["label"] ?? (isGeo ? "title" : "label"))
        case .records(let name):
            guard let path = references.path(of: name) else {
                throw FormImportError(place, "there is no question named \(name)")
            }
            guard let records = references.repeats(of: name).last else {
                throw FormImportError(place, "\(name) is not in a repeat")
            }
            nodeset = "\(records)[./\(NodePath.name(of: path)) != '']"
            value = NodePath.name(of: path)
            label = .child(value)
        }
        nodeset += try filter(of: node, &references)
        if parameters["randomize"] == "true" {
            let seed = parameters["seed"].map { ", \($0)" } ?? ""
            nodeset = "randomize(\(nodeset)\(seed))"
            nodeset = try references.resolved(
                nodeset, at: node, place: node.row.place("parameters"))
        }
        let expression = ExpressionText(nodeset, at: place)
        guard
            let itemset = Itemset(
                nodeset: expression, context: node.path, valueName: value, label: label)
        else { throw FormImportError(place, "the choice filter does not make a list") }
        return itemset
    }

    private func filter(
        of node: SurveyNode, _ references: inout NameReferences
    ) throws(FormImportError) -> String {
        guard let filter = node.row["choice_filter"] else { return "" }
        let text = try references.resolved(
            TableRow.straightQuotes(filter), at: node, isFilter: true,
            place: node.row.place("choice_filter"))
        return "[\(text)]"
    }

    private mutating func instance(
        of file: String, _ place: FormPlace
    ) throws(FormImportError) -> String {
        let source = InstanceReading.source(
            file.lowercased().hasSuffix(".csv") ? "jr://file-csv/\(file)" : "jr://file/\(file)")
        if case .unknown = source {
            throw FormImportError(place, "\(file) is no list: .csv, .xml or .geojson")
        }
        let id = String(file[..<(file.lastIndex(of: ".") ?? file.endIndex)])
        files[id] = SecondaryInstance(id: id, source: source, place: place)
        return id
    }
}

/// The column `parameters`: `start=1 end=10`, with blanks, commas or semicolons between.
struct Parameters {
    private var values: [String: String] = [:]

    init(_ text: String?) {
        for word in (text ?? "").split(whereSeparator: { $0.isWhitespace || ",;".contains($0) }) {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[parts[0].lowercased()] = String(parts[1])
        }
    }

    subscript(name: String) -> String? { values[name] }
}
