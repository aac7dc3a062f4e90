import Arguments
import Coding
import FormImport
import Forms

/// The files of one command line: forms, and lists that lie beside them.
struct FormFiles {
    private var forms: [(path: String, bytes: [UInt8])] = []
    /// By the file's name, as forms name them.
    private var lists: [String: [UInt8]] = [:]
    private var paths: [String: String] = [:]

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
        for path in paths {
            let bytes = try read(path)
            guard Self.isList(path, bytes) else {
                forms.append((path, bytes))
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
        if forms.isEmpty {
            throw Failure(
                .usage, "none of these files is a form",
                advice: "A form is an XForm (.xml), a workbook (.xlsx) or compiled (.json).")
        }
    }

    var formPaths: [String] { forms.map(\.path) }

    /// Each form, or why it is refused.
    func read() -> [Result<Form, Refusal>] {
        forms.map { path, bytes in
            do throws(Refusal) {
                return .success(try read(path, bytes))
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

    private func read(_ path: String, _ bytes: [UInt8]) throws(Refusal) -> Form {
        if path.hasSuffix(".json") {
            return Form(
                path: path, definition: try Self.compiled(bytes, path), warnings: [], lists: [])
        }
        do throws(FormImportError) {
            let imported = try FormFile.read(bytes, name: Self.name(of: path))
            let form = try FormCompiler.compile(imported, files: lists)
            try Self.refuseUnreadable(form.definition, path)
            return Form(
                path: path, definition: form.definition, warnings: form.warnings,
                lists: imported.form.secondary.compactMap(\.fileName))
        } catch {
            throw Refusal(path: path, place: error.place, message: error.description)
        }
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
        guard path.hasSuffix(".xml") else { return false }
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
