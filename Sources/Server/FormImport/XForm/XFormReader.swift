/// Reads XForms XML as ODK writes it.
package enum XFormReader {
    package static func read(_ bytes: [UInt8]) throws(FormImportError) -> ImportedForm {
        let root = try XMLTree.read(bytes)
        guard root.name.local == "html", let head = root.first("head"),
            let model = head.first("model")
        else {
            throw FormImportError(
                root.place, "this is not an XForm: html, head and model are missing")
        }
        guard let body = root.first("body") else {
            throw FormImportError(root.place, "the form has no body")
        }
        var warnings = WarningList()
        var form = try ModelReading.read(model, title: head.first("title"), &warnings)
        var reading = BodyReading(
            bindIDs: ModelReading.bindIDs(model, root: form.primary.name), warnings: warnings)
        form.body = try reading.items(of: body, context: "/" + form.primary.name)
        form.actions += reading.actions
        form.style = Appearance.words(body["class"])
        warnings = reading.warnings
        ModelReading.addInstanceID(to: &form)
        try XFormCheck.check(form, &warnings)
        return ImportedForm(form: form, warnings: warnings.all)
    }
}

/// The model: instances, binds, texts and the actions that belong to no question.
enum ModelReading {
    static func read(
        _ model: XMLElement, title: XMLElement?, _ warnings: inout WarningList
    ) throws(FormImportError) -> XForm {
        let instances = model.all("instance")
        let primary = try primary(of: instances, model: model)
        guard let root = primary.children.first else {
            throw FormImportError(primary.place, "the first instance is empty")
        }
        guard let id = identity(of: root) else {
            throw FormImportError(root.place, "the form has no id")
        }
        var form = XForm(
            title: title?.text.trimmed ?? "", id: id, version: root["version"],
            primary: try InstanceReading.node(root))
        if form.title.isEmpty { form.title = root["name"] ?? id }
        if let itext = model.first("itext") {
            form.texts = try CaptionReading.texts(itext, &warnings)
        }
        for instance in instances where instance.line != primary.line || instance["id"] != nil {
            guard instance != primary else { continue }
            form.secondary.append(try InstanceReading.secondary(instance, &warnings))
        }
        for element in model.children {
            switch element.name.local {
            case "bind": form.binds.append(try BindReading.bind(element, of: form, &warnings))
            case "setvalue", "setgeopoint":
                form.actions.append(
                    try ActionReading.action(
                        element, context: "/" + root.name.local, source: nil))
            case "instance", "itext", "submission": continue
            default: warnings.unsupported("\(element.name.local) in the model", at: element.place)
            }
        }
        return form
    }

    /// The paths of binds that have an id, as a question may name them.
    static func bindIDs(_ model: XMLElement, root: String) -> [String: String] {
        var paths: [String: String] = [:]
        for bind in model.all("bind") {
            guard let id = bind["id"], let reference = bind["nodeset"] ?? bind["ref"] else {
                continue
            }
            paths[id] = NodePath.absolute(reference, from: "/" + root)
        }
        return paths
    }

    /// Each submission needs an id of its own; a form that has no place for it gets one.
    static func addInstanceID(to form: inout XForm) {
        let place = form.primary.place
        let at = form.primary.children.firstIndex { $0.name == "meta" }
        var meta = at.map { form.primary.children[$0] } ?? InstanceNode("meta", at: place)
        guard !meta.children.contains(where: { $0.name == "instanceID" }) else { return }
        meta.children.append(InstanceNode("instanceID", at: place))
        if let at {
            form.primary.children[at] = meta
        } else {
            form.primary.children.append(meta)
        }
        var bind = XFormBind("/\(form.primary.name)/meta/instanceID", at: place)
        bind.type = "string"
        bind.readonly = ExpressionText("true()", at: place)
        bind.preload = "uid"
        form.binds.append(bind)
    }

    /// The first instance without an id, or the first of all where each has one.
    private static func primary(
        of instances: [XMLElement], model: XMLElement
    ) throws(FormImportError) -> XMLElement {
        let nameless = instances.filter { $0["id"] == nil }
        if nameless.count > 1 {
            throw FormImportError(
                nameless[1].place, "a second instance without id: there is one primary instance")
        }
        guard let primary = nameless.first ?? instances.first else {
            throw FormImportError(model.place, "the model has no instance")
        }
        return primary
    }

    /// `id`, or as CommCare has it the namespace of the record.
    private static func identity(of root: XMLElement) -> String? {
        if let id = root["id"]?.trimmed, !id.isEmpty { return id }
        guard let namespace = root.name.namespace,
            ![Namespace.xforms, Namespace.html, ""].contains(namespace)
        else { return nil }
        return namespace
    }
}

enum InstanceReading {
    static func node(_ element: XMLElement) throws(FormImportError) -> InstanceNode {
        var node = InstanceNode(element.name.local, at: element.place)
        for attribute in element.attributes {
            node.attributes[attribute.name.local] = attribute.value
        }
        node.isTemplate = element[XMLName("template", in: Namespace.javaRosa)] != nil
        let children = element.children
        guard !children.isEmpty else {
            node.value = element.text.trimmed
            return node
        }
        node.children.reserveCapacity(children.count)
        for child in children { node.children.append(try self.node(child)) }
        return node
    }

    static func secondary(
        _ instance: XMLElement, _ warnings: inout WarningList
    ) throws(FormImportError) -> SecondaryInstance {
        guard let id = instance["id"], !id.isEmpty else {
            throw FormImportError(instance.place, "an instance without id")
        }
        guard let address = instance["src"]?.trimmed, !address.isEmpty else {
            var nodes: [InstanceNode] = []
            for child in instance.children { nodes.append(try node(child)) }
            return SecondaryInstance(id: id, source: .inside(nodes), place: instance.place)
        }
        let source = source(address)
        if case .unknown = source {
            warnings.unsupported("instance \(id) from \(address)", at: instance.place)
        }
        return SecondaryInstance(id: id, source: source, place: instance.place)
    }

    /// `jr://file-csv/towns.csv`, `jr://file/towns.geojson`, `jr://instance/last-saved`.
    static func source(_ address: String) -> SecondaryInstance.Source {
        if address == "jr://instance/last-saved" { return .lastSaved }
        let parts = address.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.count >= 3, parts[0] == "jr:", let name = parts.last.map(String.init) else {
            return .unknown(address)
        }
        let lower = name.lowercased()
        switch parts[1] {
        case "file-csv": return .csv(name)
        case "file", "images", "media":
            if lower.hasSuffix(".csv") { return .csv(name) }
            if lower.hasSuffix(".geojson") { return .geojson(name) }
            if lower.hasSuffix(".xml") { return .xml(name) }
            return .unknown(address)
        default: return .unknown(address)
        }
    }
}

enum BindReading {
    private static let types: Set = [
        "string", "int", "integer", "boolean", "decimal", "date", "time", "dateTime", "geopoint",
        "geotrace", "geoshape", "barcode", "binary", "select", "select1", "rank", "anyURI", "long",
        "double", "float", "intent",
    ]

    static func bind(
        _ element: XMLElement, of form: XForm, _ warnings: inout WarningList
    ) throws(FormImportError) -> XFormBind {
        let place = element.place
        guard let reference = element["nodeset"] ?? element["ref"] else {
            throw FormImportError(place, "a bind without nodeset")
        }
        guard let path = NodePath.absolute(reference, from: "/" + form.primary.name) else {
            throw FormImportError(place, "the nodeset \(reference) is not a path")
        }
        var bind = XFormBind(path, at: .line(element.line, node: "bind \(path)"))
        if let type = element["type"]?.trimmed, !type.isEmpty {
            let plain = type.split(separator: ":").last.map(String.init) ?? type
            if !types.contains(plain) {
                warnings.note(
                    "the type \(type) is not known and read as text", kind: "type \(type)",
                    at: bind.place)
            }
            bind.type = plain
        }
        if NodePath.name(of: path).hasPrefix("@") {
            warnings.unsupported("bind of an attribute (entities)", at: bind.place)
        }
        bind.readonly = try rule(element, "readonly", bind)
        bind.required = try rule(element, "required", bind)
        bind.relevant = try rule(element, "relevant", bind)
        bind.constraint = try rule(element, "constraint", bind)
        bind.calculate = try rule(element, "calculate", bind)
        bind.constraintMessage = CaptionReading.message(
            element[XMLName("constraintMsg", in: Namespace.javaRosa)], at: bind.place)
        bind.requiredMessage = CaptionReading.message(
            element[XMLName("requiredMsg", in: Namespace.javaRosa)], at: bind.place)
        bind.preload = element[XMLName("preload", in: Namespace.javaRosa)]
        bind.preloadParameters = element[XMLName("preloadParams", in: Namespace.javaRosa)]
        bind.own = element.own(&warnings)
        return bind
    }

    private static func rule(
        _ element: XMLElement, _ name: String, _ bind: XFormBind
    ) throws(FormImportError) -> ExpressionText? {
        guard let text = element[name], !text.trimmed.isEmpty else { return nil }
        guard text.utf8.count <= ExpressionScan.longest else {
            throw FormImportError(bind.place, "\(name) is longer than any expression may be")
        }
        return ExpressionText(text, at: bind.place)
    }
}

enum ActionReading {
    static func action(
        _ element: XMLElement, context: String, source: String?
    ) throws(FormImportError) -> XFormAction {
        guard let reference = element["ref"],
            let target = NodePath.absolute(reference, from: context)
        else {
            throw FormImportError(element.place, "\(element.name.local) without a ref")
        }
        let events = Appearance.words(element["event"])
        guard !events.isEmpty else {
            throw FormImportError(element.place, "\(element.name.local) \(target) without event")
        }
        let value: XFormAction.Value
        if element.name.local == "setgeopoint" {
            value = .position
        } else if let expression = element.expression("value") {
            value = .expression(expression)
        } else {
            value = .literal(element.text.trimmed)
        }
        return XFormAction(
            events: events, target: target, value: value, source: source, place: element.place)
    }
}
