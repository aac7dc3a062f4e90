import Arguments
import Coding
import FormImport
import Forms

/// The files of one command line: forms, and lists that lie beside them.
struct FormFiles {
    private var forms: [(path: String, content: Content)] = []
    /// By the file's name, as forms name them.
    private var lists: [String: [UInt8]] = [:]
    private var paths: [String: String] = [:]

    private enum Content {
        case file([UInt8])
        /// The sheets of an XLSForm, each a file: `NAME.survey.csv`, `NAME.choices.csv`, …
        case sheets([String: [UInt8]])
    }

    /// A form that was read, and what its author should know of it.
    struct Form {
        let path: String
        let definition: FormDefinition
        var warnings: [FormImportWarning]
        /// Names of the lists that it asks for.
        let lists: [String]
    }

    /// Why a file is no form.
    struct Refusal: Error, Equatable {
        let path: String
        let place: FormPlace?
        let message: String

        var failure: Failure {
            Failure(.validation, "\(terminalSafe(path)): \(terminalSafe(message))")
        }
    }

    init(_ paths: [String], read: (String) throws -> [UInt8]) throws {
        let surveys = Set(paths.filter { Self.sheet(of: $0)?.name == Self.survey })
        var sheets: [String: [String: [UInt8]]] = [:]
        for path in paths {
            let bytes = try read(path)
            if let sheet = Self.sheet(of: path), surveys.contains(sheet.survey) {
                sheets[sheet.survey, default: [:]][sheet.name] = bytes
                continue
            }
            guard Self.isList(path, bytes) else {
                forms.append((path, .file(bytes)))
                continue
            }
            let name = Self.name(of: path)
            if let other = self.paths.updateValue(path, forKey: name), lists[name] != bytes {
                throw Failure(
                    .usage, "\(other) and \(path) are both called \(name)",
                    advice: "Give each form with its lists to a command of its own.")
            }
            lists[name] = bytes
        }
        forms += sheets.sorted { $0.key < $1.key }.map { ($0.key, .sheets($0.value)) }
        if forms.isEmpty { try takeListsForForms() }
    }

    /// An XML file alone was meant to be a form, and is told what it lacks.
    private mutating func takeListsForForms() throws {
        for (name, path) in paths.sorted(by: { $0.value < $1.value }) {
            guard path.lowercased().hasSuffix(".xml"), let bytes = lists[name] else { continue }
            forms.append((path, .file(bytes)))
            lists[name] = nil
            paths[name] = nil
        }
        guard forms.isEmpty else { return }
        let names = paths.values.sorted().map { terminalSafe($0) + " is a list of choices" }
        throw Failure(
            .usage, names.joined(separator: ", ") + ": a form goes with it",
            advice: "A form is an XForm (.xml), a workbook (.xlsx) or compiled (.json).")
    }

    var formPaths: [String] { forms.map(\.path) }

    /// Each form, or why it is refused.
    func read() -> [Result<Form, Refusal>] {
        forms.map { path, content in
            do throws(Refusal) {
                return .success(try read(path, content))
            } catch {
                return .failure(error)
            }
        }
    }

    /// All of them.
    /// - Throws: `Failure` for the first that is refused.
    func readAll() throws -> [Form] {
        do {
            return try read().map { try $0.get() }
        } catch let refusal as Refusal {
            throw refusal.failure
        }
    }

    /// Lists that no form asks for: a name was mistyped.
    func unused(by forms: [Form]) -> [String] {
        let asked = Set(forms.flatMap(\.lists))
        return paths.filter { !asked.contains($0.key) }.map(\.value).sorted()
    }

    private func read(_ path: String, _ content: Content) throws(Refusal) -> Form {
        if case .file(let bytes) = content {
            guard !bytes.isEmpty else {
                throw Refusal(path: path, place: nil, message: "the file is empty")
            }
            if path.hasSuffix(".json") {
                return Form(
                    path: path, definition: try Self.compiled(bytes, path), warnings: [],
                    lists: [])
            }
        }
        do throws(FormImportError) {
            let imported = try Self.imported(content, name: Self.name(of: path))
            let form = try FormCompiler.compile(imported, files: lists)
            try Self.refuseUnreadable(form.definition, path)
            return Form(
                path: path, definition: form.definition, warnings: form.warnings,
                lists: imported.form.secondary.compactMap(\.fileName))
        } catch {
            throw Refusal(path: path, place: error.place, message: error.description)
        }
    }

    private static func imported(
        _ content: Content, name: String
    ) throws(FormImportError) -> ImportedForm {
        switch content {
        case .file(let bytes): try FormFile.read(bytes, name: name)
        case .sheets(let sheets):
            try XLSFormReader.read(
                sheets: sheets, name: String(name.dropLast(".\(survey).csv".count)))
        }
    }

    private static let survey = "survey"

    /// What sheet of an XLSForm a file is by its name, and the path of that form's survey.
    private static func sheet(of path: String) -> (name: String, survey: String)? {
        for name in [survey, "choices", "settings", "external_choices"] {
            let end = ".\(name).csv"
            if path.hasSuffix(end) {
                return (name, path.dropLast(end.count) + ".\(survey).csv")
            }
        }
        return nil
    }

    private static func compiled(_ bytes: [UInt8], _ path: String) throws(Refusal) -> FormDefinition
    {
        do {
            return try FormDefinition(json: JSON.parse(bytes))
        } catch {
            throw Refusal(path: path, place: nil, message: "\(error)")
        }
    }

    /// What is published is what devices can read.
    private static func refuseUnreadable(
        _ form: FormDefinition, _ path: String
    ) throws(FormImportError) {
        do {
            _ = try FormDefinition(json: JSON.parse(form.json.serialized()))
        } catch {
            throw FormImportError(.file, "devices cannot read what it comes to: \(error)")
        }
    }

    private static func name(of path: String) -> String {
        path.split(separator: "/").last.map(String.init) ?? path
    }

    /// By their ends; of XML, whether it speaks of XForms at all.
    private static func isList(_ path: String, _ bytes: [UInt8]) -> Bool {
        let path = path.lowercased()
        if path.hasSuffix(".csv") || path.hasSuffix(".geojson") { return true }
        guard path.hasSuffix(".xml"), !bytes.isEmpty else { return false }
        let text = String(decoding: bytes.prefix(64 << 10), as: UTF8.self)
        return !text.contains("http://www.w3.org/2002/xforms")
    }
}

extension SecondaryInstance {
    fileprivate var fileName: String? {
        switch source {
        case .csv(let name), .xml(let name), .geojson(let name): name
        case .inside, .lastSaved, .unknown: nil
        }
    }
}
