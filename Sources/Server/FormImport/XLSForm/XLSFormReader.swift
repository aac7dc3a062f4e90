/// Reads a workbook of the XLSForm kind into the same value as an XForm.
package enum XLSFormReader {
    /// - Parameter name: names the form when the sheet `settings` does not.
    package static func read(
        _ bytes: [UInt8], name: String
    ) throws(FormImportError) -> ImportedForm {
        let workbook = try Workbook(bytes)
        return try read(name: name, sheets: workbook.sheetNames) {
            name, warnings throws(FormImportError) in try workbook.sheet(name, &warnings)
        }
    }

    /// The same with each sheet as a file of comma-separated values, which can be read as text.
    /// - Parameter sheets: by their names: `survey`, `choices`, `settings`, `external_choices`.
    package static func read(
        sheets: [String: [UInt8]], name: String
    ) throws(FormImportError) -> ImportedForm {
        try read(name: name, sheets: sheets.keys.sorted()) {
            sheet, _ throws(FormImportError) in
            guard let bytes = sheets[sheet] else { return nil }
            return try Sheet(csv: bytes, name: sheet)
        }
    }

    private typealias Lookup = (
        _ name: String, _ warnings: inout WarningList
    ) throws(FormImportError) -> Sheet?

    private static func read(
        name: String, sheets: [String], _ lookup: Lookup
    ) throws(FormImportError) -> ImportedForm {
        var warnings = WarningList()
        guard let survey = try table(.survey, lookup, &warnings) else {
            let names = sheets.prefix(10).joined(separator: ", ")
            throw FormImportError(.file, "there is no sheet survey (there are: \(names))")
        }
        let choices = try table(.choices, lookup, &warnings)
        let external = try table(.externalChoices, lookup, &warnings)
        for sheet in sheets where ["entities", "osm"].contains(sheet.lowercased()) {
            warnings.unsupported(
                "sheet \(sheet.lowercased())", at: .cell(sheet: sheet, row: 1, column: nil))
        }
        let settings = try FormSettings(try table(.settings, lookup, &warnings), &warnings)
        let parts = SurveySheets(
            survey: survey, choices: choices, external: external, settings: settings)
        return try parts.form(name: name, warnings)
    }

    private static func table(
        _ kind: TableKind, _ lookup: Lookup, _ warnings: inout WarningList
    ) throws(FormImportError) -> Table? {
        guard let sheet = try lookup(kind.rawValue, &warnings) else { return nil }
        return Table(sheet, kind, &warnings)
    }
}

/// The sheets of a form together.
struct SurveySheets {
    var survey: Table
    var choices: Table?
    var external: Table?
    var settings: FormSettings

    func form(
        name: String, _ before: WarningList
    ) throws(FormImportError) -> ImportedForm {
        var warnings = before
        let tree = try SurveyTree.read(survey, root: settings.root, &warnings)
        guard !tree.root.children.isEmpty else {
            throw FormImportError(
                .cell(sheet: survey.sheet, row: 1, column: nil), "the survey has no question")
        }
        var lists = ChoiceLists()
        if let choices {
            lists = try ChoiceLists(
                choices, allowsDoubles: settings.allowsChoiceDoubles, &warnings)
        }
        var externalLists = ChoiceLists()
        if let external {
            externalLists = try ChoiceLists(external, allowsDoubles: true, &warnings)
        }
        addOthers(tree.root.children, to: &lists)
        let captions = CaptionWriting(
            survey: survey, choices: choices, settings: settings,
            references: NameReferences(tree.root))
        var writing = SurveyWriting(
            root: tree.root, settings: settings, captions: captions,
            itemsets: ItemsetWriting(lists: lists, external: externalLists), warnings: warnings)
        let written = try writing.write()
        var record = InstanceNode(settings.root, at: tree.root.row.place())
        record.children = written.nodes
        try addMeta(to: &record, tree, &writing)
        var form = XForm(
            title: settings.title ?? settings.id ?? name, id: settings.id ?? name,
            version: settings.version, primary: record)
        record.attributes["id"] = form.id
        record.attributes["version"] = form.version
        form.primary = record
        form.secondary = try instances(tree, lists, externalLists, &writing)
        form.binds = writing.binds
        form.actions = writing.actions
        form.body = written.body
        form.style = Appearance.words(settings.style)
        form.texts = writing.captions.finished(settings)
        warnings = writing.warnings
        addNamedFiles(to: &form, writing)
        try XFormCheck.check(form, &warnings)
        return ImportedForm(form: form, warnings: warnings.all)
    }

    private func addOthers(_ nodes: [SurveyNode], to lists: inout ChoiceLists) {
        for node in nodes {
            if case .question(.select(let select)) = node.kind, select.hasOther,
                case .list(let list) = select.source
            {
                lists.addOther(to: list)
            }
            addOthers(node.children, to: &lists)
        }
    }

    /// What the form says of itself: its own id, its name for people, its log.
    private func addMeta(
        to record: inout InstanceNode, _ tree: SurveyTree, _ writing: inout SurveyWriting
    ) throws(FormImportError) {
        let place = settings.row?.place() ?? tree.root.row.place()
        let path = "/\(record.name)/meta"
        let at = record.children.firstIndex { $0.name == "meta" } ?? record.children.count
        if at == record.children.count { record.children.append(InstanceNode("meta", at: place)) }
        func add(_ name: String) -> XFormBind? {
            guard !record.children[at].children.contains(where: { $0.name == name }) else {
                return nil
            }
            record.children[at].children.append(InstanceNode(name, at: place))
            return XFormBind("\(path)/\(name)", at: place)
        }
        if tree.hasAudit, var bind = add("audit") {
            bind.type = "binary"
            writing.append(bind)
        }
        if var bind = add("instanceID") {
            bind.type = "string"
            bind.readonly = ExpressionText("true()", at: place)
            bind.preload = "uid"
            writing.append(bind)
        }
        if let name = settings.instanceName, let place = settings.row?.place("instance_name"),
            var bind = add("instanceName")
        {
            bind.type = "string"
            bind.calculate = ExpressionText(
                try writing.captions.references.resolved(
                    TableRow.straightQuotes(name), at: tree.root, place: place), at: place)
            writing.append(bind)
        }
    }

    private func instances(
        _ tree: SurveyTree, _ lists: ChoiceLists, _ external: ChoiceLists,
        _ writing: inout SurveyWriting
    ) throws(FormImportError) -> [SecondaryInstance] {
        var instances: [SecondaryInstance] = []
        for list in lists.names {
            instances.append(
                try instance(list, id: list, of: lists, root: tree.root, &writing))
        }
        for list in external.names {
            instances.append(
                try instance(
                    list, id: ItemsetWriting.externalID(list), of: external, root: tree.root,
                    &writing))
        }
        for file in writing.itemsets.files.sorted(by: { $0.key < $1.key }) {
            instances.append(file.value)
        }
        for row in tree.externals where !instances.contains(where: { $0.id == row.id }) {
            let source: SecondaryInstance.Source =
                row.kind == "csv" ? .csv("\(row.id).csv") : .xml("\(row.id).xml")
            instances.append(
                SecondaryInstance(id: row.id, source: source, place: row.row.place("type")))
        }
        return instances
    }

    private func instance(
        _ list: String, id: String, of lists: ChoiceLists, root: SurveyNode,
        _ writing: inout SurveyWriting
    ) throws(FormImportError) -> SecondaryInstance {
        var items = InstanceNode("root", at: .cell(sheet: "choices", row: 1, column: nil))
        let usesTexts = lists.usesTexts(list) && id == list
        let choices = lists.choices[list] ?? []
        for (index, choice) in choices.enumerated() {
            let place = choice.row.place()
            var item = InstanceNode("item", at: place)
            func add(_ name: String, _ value: String) {
                var child = InstanceNode(name, at: place)
                child.value = value
                item.children.append(child)
            }
            add("name", choice.name)
            if usesTexts {
                let key = "\(list)-\(index)"
                try writing.captions.choice(choice, key: key, root: root)
                add("itextId", key)
            } else {
                add("label", choice.row["label"] ?? (choice.row.isEmpty ? "Other" : choice.name))
            }
            for column in lists.extraColumns where column != "itextId" {
                if let value = choice.row[column] { add(column, TableRow.straightQuotes(value)) }
            }
            item.attributes = choice.row.members(of: "walkdown")
            items.children.append(item)
        }
        return SecondaryInstance(id: id, source: .inside([items]), place: items.place)
    }

    /// Files that expressions name: `pulldata('towns', …)` and values of the last submission.
    private func addNamedFiles(to form: inout XForm, _ writing: SurveyWriting) {
        if writing.captions.references.usesLastSaved {
            form.secondary.append(
                SecondaryInstance(
                    id: NameReferences.lastSaved, source: .lastSaved, place: .file))
        }
        var known = Set(form.secondary.map(\.id))
        for expression in form.expressions {
            for id in ExpressionScan.literals(of: "pulldata(", in: expression.text)
            where !id.hasPrefix("@") && known.insert(id).inserted {
                form.secondary.append(
                    SecondaryInstance(id: id, source: .csv("\(id).csv"), place: expression.place))
            }
        }
    }
}
