package import Forms

/// A form as it is published, and what its author should know of it.
package struct CompiledForm: Equatable, Sendable {
    package var definition: FormDefinition
    package var warnings: [FormImportWarning]
}

/// Makes of a form as its author wrote it the definition that devices fill in.
///
/// Rules are read as expressions here, so whatever is wrong with one is told with its place in the
/// author's file.
package struct FormCompiler {
    let form: XForm
    /// Files that were handed in beside the form, by name.
    let files: [String: [UInt8]]
    /// Later binds of a node go before earlier ones.
    let binds: [String: XFormBind]
    var warnings: WarningList
    var parts: FormParts
    /// What is in the record, by path.
    var nodes: [String: InstanceNode] = [:]
    /// Of those, what a template has.
    private var templated: Set<String> = []
    /// Paths that a question of the body answers.
    var asked: Set<String> = []
    /// Choices of a list with their names and labels, by list and elements.
    var lists: [String: ChoiceList] = [:]

    /// - Parameters:
    ///   - files: lists that the form asks for, by the names that it gives them.
    ///   - fallbackVersion: for a form that says none.
    package static func compile(
        _ imported: ImportedForm, files: [String: [UInt8]] = [:],
        fallbackVersion: String = "1"
    ) throws(FormImportError) -> CompiledForm {
        var compiler = try FormCompiler(imported, files, fallbackVersion)
        try compiler.compile()
        do throws(FormError) {
            let definition = try FormDefinition(compiler.parts)
            compiler.warn(of: ExpressionCheck(definition).problems)
            compiler.warnOfDefaults(definition)
            compiler.warnOfCalculations(definition)
            return CompiledForm(definition: definition, warnings: compiler.warnings.all)
        } catch {
            throw compiler.refusal(error)
        }
    }

    private init(
        _ imported: ImportedForm, _ files: [String: [UInt8]], _ fallbackVersion: String
    ) throws(FormImportError) {
        form = imported.form
        self.files = files
        warnings = WarningList(imported.warnings)
        var binds: [String: XFormBind] = [:]
        for bind in form.binds { binds[bind.path] = binds[bind.path]?.joined(bind) ?? bind }
        self.binds = binds
        let version = form.version?.trimmed ?? ""
        parts = FormParts(
            id: Self.word(form.id, whereNone: "form"),
            version: Self.word(version, whereNone: fallbackVersion),
            title: ShownText.clean(form.title))
        parts.root = form.primary.name
        parts.languages = languages
    }

    private mutating func compile() throws(FormImportError) {
        if parts.id != form.id {
            warnings.note(
                "the id is written \(parts.id): letters, digits, '_', '-' and '.' only",
                kind: "id", at: form.primary.place)
        }
        collect(form.primary, at: "", inTemplate: false)
        try compileLists()
        try compileSections()
        try compileHidden(form.primary, at: "")
        try compileGroups()
        try compileActions()
        compileRows()
        parts.instanceName = try nameRule()
        keepListsThatAreLookedAt()
    }

    /// Of several rows the template, or else the first, has the defaults of new ones.
    private mutating func collect(_ node: InstanceNode, at path: String, inTemplate: Bool) {
        let inTemplate = inTemplate || node.isTemplate
        let isFirstTemplate = inTemplate && templated.insert(path).inserted
        if isFirstTemplate || nodes[path] == nil { nodes[path] = node }
        for child in node.children {
            collect(
                child, at: path.isEmpty ? child.name : path + "/" + child.name,
                inTemplate: inTemplate)
        }
    }

    /// `meta/instanceName` of XLSForm's settings.
    private func nameRule() throws(FormImportError) -> FormExpression? {
        guard let bind = binds["/\(parts.root)/meta/instanceName"] else { return nil }
        return try expression(bind.calculate, "instance_name")
    }

    /// A path to nothing is empty wherever the form is filled in; what cannot be read makes its rule say
    /// nothing.
    private mutating func warn(of problems: [ExpressionCheck.Problem]) {
        for problem in problems {
            let place = bind(at: problem.path)?.place ?? nodes[problem.path]?.place ?? .file
            let outcome =
                problem.error.code == .unknownQuestion
                ? ", which counts as empty" : "; the rule says nothing"
            warnings.note(
                "\(problem.path): \(problem.error.message)\(outcome)",
                kind: problem.error.message, at: place)
        }
    }

    /// In the words of the file: the definition names places of its own.
    private func refusal(_ error: FormError) -> FormImportError {
        let path = parts.path(atPlace: error.place)
        let place = path.flatMap { binds["/\(parts.root)/\($0)"]?.place ?? nodes[$0]?.place }
        let subject = path.map { "\($0): " } ?? ""
        return FormImportError(place ?? .file, subject + error.message)
    }

    /// Characters that a name of ours cannot have are written `_`.
    static func word(_ text: String, whereNone fallback: String) -> String {
        let word = String(
            text.trimmed.map { character in
                let isPlain =
                    character.isASCII
                    && (character.isLetter || character.isNumber || "_-.".contains(character))
                return isPlain ? character : "_"
            }.prefix(FormLimits.nameBytes))
        return word.isEmpty ? fallback : word
    }
}

extension FormCompiler {
    /// The path from the record's root of an absolute one.
    func path(_ absolute: String) -> String {
        String(absolute.dropFirst(parts.root.count + 2))
    }

    func bind(at path: String) -> XFormBind? {
        binds[path.isEmpty ? "/" + parts.root : "/\(parts.root)/\(path)"]
    }

    /// - Parameter rule: what the expression is, for the author.
    func expression(
        _ text: ExpressionText?, _ rule: String
    ) throws(FormImportError) -> FormExpression? {
        guard let text else { return nil }
        do throws(ExpressionError) {
            let expression = try FormExpression(text.text).withoutPrefixes
            if let problem = expression.callProblems.first { throw problem }
            return expression
        } catch {
            throw FormImportError(text.place, "\(rule), \(error)")
        }
    }
}

extension XFormBind {
    /// Both apply; what the later one says goes before.
    fileprivate func joined(_ later: XFormBind) -> XFormBind {
        var joined = self
        joined.type = later.type ?? type
        joined.readonly = later.readonly ?? readonly
        joined.required = later.required ?? required
        joined.relevant = later.relevant ?? relevant
        joined.constraint = later.constraint ?? constraint
        joined.calculate = later.calculate ?? calculate
        joined.constraintMessage = later.constraintMessage ?? constraintMessage
        joined.requiredMessage = later.requiredMessage ?? requiredMessage
        joined.preload = later.preload ?? preload
        joined.preloadParameters = later.preloadParameters ?? preloadParameters
        joined.own.merge(later.own) { _, later in later }
        return joined
    }
}

extension FormParts {
    /// The path of the question that a place of the definition means.
    fileprivate func path(atPlace place: String) -> String? {
        let walk = FormWalk(self)
        return walk.questions.last { place.hasPrefix($0.place) }?.question.path
    }
}
