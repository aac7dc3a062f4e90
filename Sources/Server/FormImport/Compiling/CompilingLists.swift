import Coding
import Forms

extension FormCompiler {
    mutating func compileLists() throws(FormImportError) {
        for instance in form.secondary {
            switch instance.source {
            case .inside(let nodes):
                guard let root = nodes.first else { continue }
                parts.lists[instance.id] = Self.content(of: root)
            case .csv(let name):
                guard let bytes = file(name, of: instance) else { continue }
                parts.lists[instance.id] = try Self.table(bytes, name)
            case .xml(let name):
                guard let bytes = file(name, of: instance) else { continue }
                parts.lists[instance.id] = Self.content(
                    of: try InstanceReading.node(XMLTree.read(bytes)))
            case .geojson(let name):
                guard let bytes = file(name, of: instance) else { continue }
                parts.lists[instance.id] = try GeoJSON.table(bytes, name)
            case .lastSaved: parts.lists[instance.id] = .lastSaved(root: parts.root)
            case .unknown: parts.lists[instance.id] = NodeContent("root")
            }
        }
    }

    /// Nil, an empty list and a warning where it was not handed in.
    private mutating func file(_ name: String, of instance: SecondaryInstance) -> [UInt8]? {
        if let bytes = files[name] { return bytes }
        warnings.note(
            "\(name) is not here: publish it with the form, or the list \(instance.id) is empty",
            kind: "file \(name)", at: instance.place)
        parts.lists[instance.id] = NodeContent("root")
        return nil
    }

    static func content(of node: InstanceNode) -> NodeContent {
        NodeContent(
            node.name, text: node.value,
            attributes: node.attributes.sorted { $0.key < $1.key }.map {
                NodeContent.Attribute(name: $0.key, value: $0.value)
            },
            children: node.children.map(content))
    }

    /// As ODK has it: `root/item`, an element a column.
    private static func table(
        _ bytes: [UInt8], _ name: String
    ) throws(FormImportError) -> NodeContent {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FormImportError(.file, "\(name) is not UTF-8")
        }
        let document: CSVDocument
        do throws(CSVError) {
            document = try CSVDocument(text, quotesAnywhere: true)
        } catch {
            throw FormImportError(.file, "\(name):\(error)")
        }
        guard let header = document.lines.first else {
            throw FormImportError(.file, "\(name) is empty; its first line names the columns")
        }
        guard document.lines.count <= FormLimits.instanceNodes else {
            throw FormImportError(
                .file, "\(name) has more than \(FormLimits.instanceNodes) lines")
        }
        let columns = header.cells.map { String($0.trimmed.map { $0.isWhitespace ? "_" : $0 }) }
        var root = NodeContent("root")
        for line in document.lines.dropFirst() {
            guard line.cells.count <= columns.count else {
                throw FormImportError(
                    .file, "\(name):\(line.number): more cells than the first line has")
            }
            let padding = Array(repeating: "", count: columns.count - line.cells.count)
            root.children.append(
                NodeContent(
                    "item",
                    children: zip(columns, line.cells + padding).map {
                        NodeContent($0, text: $1)
                    }))
        }
        return root
    }

    /// Lists that only fill a question's choices are with the question already.
    mutating func keepListsThatAreLookedAt() {
        var looked: Set<String> = []
        for expression in allExpressions {
            looked.formUnion(expression.dependencies(at: "/" + parts.root).instances)
        }
        parts.lists = parts.lists.filter { looked.contains($0.key) }
    }

    private var allExpressions: [FormExpression] {
        let walk = FormWalk(parts)
        var all: [FormExpression] = []
        for (question, _) in walk.questions {
            let rules = question.rules
            all += [
                rules.relevant, rules.required, rules.readonly, rules.constraint, rules.calculate,
                question.filter?.nodeset,
            ].compactMap(\.self)
            let texts = [
                question.text, question.hintText, rules.constraintText, rules.requiredText,
            ]
            all += texts.compactMap(\.self).flatMap(\.expressions)
        }
        for (repetition, _) in walk.repetitions {
            all += [repetition.count].compactMap(\.self) + (repetition.text?.expressions ?? [])
        }
        for group in parts.groups { all += [group.relevant, group.readonly].compactMap(\.self) }
        for action in parts.actions {
            if case .expression(let expression) = action.value { all.append(expression) }
        }
        all += parts.sections.flatMap(\.text.expressions) + parts.sections.flatMap(\.groupTexts)
        return all + [parts.instanceName].compactMap(\.self)
    }
}

extension Section {
    fileprivate var groupTexts: [FormExpression] { Self.expressions(of: items) }

    private static func expressions(of items: [FormItem]) -> [FormExpression] {
        items.flatMap { item -> [FormExpression] in
            switch item {
            case .question: []
            case .group(let group):
                (group.text?.expressions ?? []) + expressions(of: group.items)
            case .repetition(let repetition): expressions(of: repetition.items)
            }
        }
    }
}

/// Places with their properties, as ODK reads GeoJSON: an item a feature, with `geometry` as points.
enum GeoJSON {
    static func table(_ bytes: [UInt8], _ name: String) throws(FormImportError) -> NodeContent {
        var root = NodeContent("root")
        do {
            let features = try JSON.parse(bytes).member("features")?.asArray() ?? []
            for feature in features {
                root.children.append(try item(feature))
            }
        } catch {
            throw FormImportError(.file, "\(name) is not a GeoJSON FeatureCollection")
        }
        return root
    }

    private static func item(_ feature: JSON) throws -> NodeContent {
        var cells: [NodeContent] = []
        if case .object(let members) = feature {
            if case .object(let properties)? = members["properties"] {
                for (key, value) in properties.sorted(by: { $0.key < $1.key }) {
                    cells.append(NodeContent(key, text: text(of: value)))
                }
            }
            if !cells.contains(where: { $0.name == "id" }), let id = members["id"] {
                cells.append(NodeContent("id", text: text(of: id)))
            }
            if case .object(let geometry)? = members["geometry"],
                let coordinates = geometry["coordinates"]
            {
                cells.append(NodeContent("geometry", text: points(coordinates)))
            }
        }
        return NodeContent("item", children: cells)
    }

    private static func text(of value: JSON) -> String {
        switch value {
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): NumberText.write(number)
        case .bool(let bool): bool ? "true" : "false"
        default: ""
        }
    }

    /// East before north there, north before east here. Nested lists are lines and their ends.
    private static func points(_ coordinates: JSON) -> String {
        guard case .array(let items) = coordinates else { return "" }
        if items.count >= 2, let east = number(items[0]), let north = number(items[1]) {
            return "\(NumberText.write(north)) \(NumberText.write(east)) 0 0"
        }
        return items.map(points).filter { !$0.isEmpty }.joined(separator: ";")
    }

    private static func number(_ value: JSON) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
