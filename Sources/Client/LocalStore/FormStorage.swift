internal import Coding
package import Forms
internal import SQLite

/// A published form as this device keeps it.
package struct StoredForm: Sendable, Equatable {
    package var definition: FormDefinition
    /// `open` or `closed`: closed ones begin no new inspection.
    package var state: String
    package var etag: String?
}

extension DeviceStore {
    /// Stores a published form with what the constraint triggers ask of its answers, and gives its
    /// views the questions of this version beside those of the others. Storing the same version again replaces it.
    package func store(form: FormDefinition, state: String = "open", etag: String? = nil) throws {
        let definition = String(decoding: form.json.serialized(), as: UTF8.self)
        try edit { database in
            let names = try database.formViewNames()
            try database.execute(
                "DELETE FROM form WHERE id = ? AND version = ?",
                [.text(form.id), .text(form.version)])
            try database.execute(
                """
                INSERT INTO form (id, version, title, state, definition, etag)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(form.id), .text(form.version), .text(form.title), .text(state),
                    .text(definition), DatabaseValue(etag),
                ])
            try database.replaceQuestions(of: form)
            try database.showInViews(form, before: names)
        }
        formShelf.clear()
        remembered.clear()
    }

    /// Takes note that a form was opened or closed.
    package func setState(_ state: String, ofForm id: String, version: String) throws {
        try edit { database in
            try database.execute(
                "UPDATE form SET state = ? WHERE id = ? AND version = ?",
                [.text(state), .text(id), .text(version)])
        }
    }

    /// Takes note that this program could not read a published form, so that it is not fetched anew
    /// in each cycle.
    package func setAside(form id: String, version: String) throws {
        let now = sources.now()
        try edit { database in
            try database.execute(
                "DELETE FROM __sync_metadata WHERE key LIKE 'form_aside %' AND value <= ?",
                [.integer(now)])
            try database.setMetadata(
                Self.asideKey(id, version), .integer(now + Self.asideFor))
        }
    }

    /// Whether that was noted lately. Not for ever: a server that gave out something wrong may have
    /// been mended.
    package func isSetAside(form id: String, version: String) throws -> Bool {
        let until = try read { try $0.metadataInteger(Self.asideKey(id, version)) }
        let wait = (until ?? 0) - sources.now()
        // A longer wait than any that is ever set is left from before the clock was put back.
        return (1...Self.asideFor).contains(wait)
    }

    /// Milliseconds; a day.
    private static let asideFor: Int64 = 24 * 60 * 60 * 1000

    /// With the format that this program reads: the next one tries at once.
    private static func asideKey(_ id: String, _ version: String) -> String {
        "form_aside \(FormDefinition.format) \(id) \(version)"
    }

    /// - Throws: `unknownForm`.
    package func form(_ id: String, version: String) throws -> StoredForm {
        try read { database in
            let found = try database.first(
                "SELECT state, etag FROM form WHERE id = ? AND version = ?",
                [.text(id), .text(version)]
            ) { (try $0.text(0), try $0.optionalText(1)) }
            guard let (state, etag) = found else {
                throw StoreError.unknownForm(id: id, version: version)
            }
            let definition = try formShelf.form(id, version: version, in: database)
            return StoredForm(definition: definition, state: state, etag: etag)
        }
    }
}

extension Connection {
    fileprivate func replaceQuestions(of form: FormDefinition) throws {
        let key: [DatabaseValue] = [.text(form.id), .text(form.version)]
        try execute("DELETE FROM question WHERE form = ? AND version = ?", key)
        try execute("DELETE FROM question_choice WHERE form = ? AND version = ?", key)
        var places: [ObjectIdentifier: String] = [:]
        for question in form.allQuestions {
            let place = places[ObjectIdentifier(question.list)]
            try execute(
                """
                INSERT INTO question (form, version, name, type, hard_min, hard_max, merge,
                    repetition, list, is_derived)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                key + [
                    .text(question.path), .text(question.type.word),
                    question.limits.hardMinimum.map { .real($0) } ?? .null,
                    question.limits.hardMaximum.map { .real($0) } ?? .null,
                    .text(question.merge),
                    DatabaseValue(form.repetition(around: question.path)?.path),
                    DatabaseValue(place), DatabaseValue(question.isDerived),
                ])
            guard place == nil, !question.choices.isEmpty else { continue }
            places[ObjectIdentifier(question.list)] = question.path
            for choice in question.choices {
                // A list from elsewhere may name a choice twice.
                try execute(
                    """
                    INSERT OR IGNORE INTO question_choice (form, version, question, name)
                    VALUES (?, ?, ?, ?)
                    """, key + [.text(question.path), .text(choice.name)])
            }
        }
    }
}
