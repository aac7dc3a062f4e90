internal import Coding
internal import Forms
internal import SQLite
internal import Synchronization

/// Forms as they were read lately: each answer asks for one, and reading a large one takes longer than
/// storing the answer.
final class FormShelf: Sendable {
    private struct Key: Hashable, Sendable {
        var id: String
        var version: String
    }

    private struct Contents: Sendable {
        var forms: [Key: FormDefinition] = [:]
        /// Counts the clearings, so that nobody puts back what he read before one.
        var clearings = 0
    }

    private let contents = Mutex(Contents())

    /// More than a round has kinds of equipment. What is beyond is read anew.
    private static let most = 12

    /// A form changed on the disk.
    func clear() {
        contents.withLock { contents in
            contents.forms = [:]
            contents.clearings += 1
        }
    }

    /// - Throws: `unknownForm`; `FormError` for one that this program cannot read.
    func form(
        _ id: String, version: String, in database: Connection
    ) throws -> FormDefinition {
        let key = Key(id: id, version: version)
        let (known, clearings) = contents.withLock { ($0.forms[key], $0.clearings) }
        if let known { return known }
        let stored = try database.first(
            "SELECT definition FROM form WHERE id = ? AND version = ?",
            [.text(id), .text(version)]
        ) { try $0.optionalText(0) }
        guard let stored, let text = stored else {
            throw StoreError.unknownForm(id: id, version: version)
        }
        // Our own text: wider limits than the wire's would change nothing.
        let form = try FormDefinition(json: JSON.parse(Array(text.utf8)))
        contents.withLock { contents in
            guard contents.clearings == clearings else { return }
            if contents.forms.count >= Self.most { contents.forms = [:] }
            contents.forms[key] = form
        }
        return form
    }
}
