internal import Coding
internal import Crypto
package import Forms
package import Replication
internal import SQLite
internal import Synchronization

extension SQLiteStore {
    /// Publishes a version for ever: the same content again changes nothing, other content under the
    /// same version is refused, because inspections rest on the version that they have.
    ///
    /// - Returns: whether it was new.
    @discardableResult
    package func publish(_ form: FormDefinition) throws -> Bool {
        let document = form.json.serialized()
        let etag = Hexadecimal.encode(SHA256.hash(document).prefix(16))
        return try write { session in
            if let known = try session.connection.document(ofForm: form.id, version: form.version) {
                guard known.etag == etag else {
                    throw ServerStoreError(
                        .formDiffers,
                        "form '\(form.id)' version '\(form.version)' was published with other "
                            + "content, and a published version never changes; give the changed "
                            + "form a new version and publish that")
                }
                return false
            }
            let like = try session.connection.first(
                "SELECT id FROM form WHERE lower(id) = lower(?) AND id <> ? LIMIT 1",
                [.text(form.id), .text(form.id)]
            ) { try $0.text(0) }
            if let like {
                // Devices have a view for each form, and SQL does not tell such names apart.
                throw ServerStoreError(
                    .formDiffers, "form '\(form.id)' differs from '\(like)' in case only")
            }
            try session.connection.execute(
                """
                INSERT INTO form
                    (id, version, title, state, definition, etag, published_order, published_at)
                SELECT ?, ?, ?, 'open', ?, ?, ifnull(max(published_order), 0) + 1, ? FROM form
                """,
                [
                    .text(form.id), .text(form.version), .text(form.title),
                    .text(String(decoding: document, as: UTF8.self)), .text(etag),
                    .integer(session.now),
                ])
            try session.connection.renewFormViews()
            return true
        }
    }

    package func publishedForms() throws -> [FormListing] {
        try read { connection in
            try connection.query(
                "SELECT id, version, title, state FROM form ORDER BY published_order"
            ) { row in
                FormListing(
                    id: try row.text(0), version: try row.text(1), title: try row.text(2),
                    state: try row.text(3))
            }
        }
    }

    package func closeForm(id: String, version: String?) throws -> [String] {
        try setState("closed", ofForm: id, version: version)
    }

    package func reopenForm(id: String, version: String?) throws -> [String] {
        try setState("open", ofForm: id, version: version)
    }

    /// - Returns: the versions whose state was another one.
    private func setState(
        _ state: String, ofForm id: String, version: String?
    ) throws -> [String] {
        try write { session in
            let which = "id = ?1 AND (?2 IS NULL OR version = ?2)"
            let values: [DatabaseValue] = [.text(id), DatabaseValue(version)]
            let states = try session.connection.query(
                "SELECT version, state FROM form WHERE \(which) ORDER BY published_order", values
            ) { (version: try $0.text(0), state: try $0.text(1)) }
            guard !states.isEmpty else {
                throw ServerStoreError(
                    .unknownForm,
                    "there is no form '\(id)'" + (version.map { " of version '\($0)'" } ?? ""))
            }
            try session.connection.execute(
                "UPDATE form SET state = ?3 WHERE \(which)", values + [.text(state)])
            return states.filter { $0.state != state }.map(\.version)
        }
    }

    package func answerCounts(ofForm id: String) throws -> [String: Int64] {
        try readForOffice { connection in
            var counts: [String: Int64] = [:]
            try connection.each(
                """
                SELECT field.name, count(*) FROM field
                WHERE field.value IS NOT NULL AND field.name NOT LIKE '@%' AND field.record_id IN (
                    SELECT record.id FROM record JOIN field AS form ON form.record_id = record.id
                    WHERE record.is_deleted = 0 AND record.table_name IN ('inspection', 'repeat')
                        AND form.name = '@form' AND form.value = ?)
                GROUP BY field.name
                """, [.text(id)]
            ) { counts[try $0.text(0)] = try $0.integer(1) }
            return counts
        }
    }

    package func form(id: String, version: String) throws -> FormDocument? {
        try read { try $0.document(ofForm: id, version: version) }
    }
}

extension Connection {
    func document(ofForm id: String, version: String) throws -> FormDocument? {
        try first(
            "SELECT definition, etag FROM form WHERE id = ? AND version = ?",
            [.text(id), .text(version)]
        ) { row in
            FormDocument(definition: Array(try row.text(0).utf8), etag: try row.text(1))
        }
    }

    /// The version that new inspections begin with.
    func newestVersion(ofForm id: String) throws -> String? {
        try first(
            """
            SELECT version FROM form WHERE id = ? AND state = 'open'
            ORDER BY published_order DESC LIMIT 1
            """, [.text(id)]
        ) { try $0.text(0) }
    }
}

/// Published forms, decoded once: a version never changes, so what stands here stays true.
final class FormShelf: Sendable {
    private struct Key: Hashable {
        let id: String
        let version: String
    }

    private let shelf = Mutex<[Key: FieldPolicies]>([:])
    /// A server publishes tens of forms; the bound only keeps a strange one from growing for ever.
    private static let capacity = 500

    /// Those of all versions of a form, the newest first.
    func allPolicies(ofForm id: String, from connection: Connection) throws -> [FieldPolicies] {
        let versions = try connection.query(
            "SELECT version FROM form WHERE id = ? ORDER BY published_order DESC", [.text(id)]
        ) { try $0.text(0) }
        return try versions.compactMap {
            try policies(ofForm: id, version: $0, from: connection)
        }
    }

    /// - Returns: nil where this server has not published that version.
    func policies(
        ofForm id: String, version: String, from connection: Connection
    ) throws -> FieldPolicies? {
        let key = Key(id: id, version: version)
        if let known = shelf.withLock({ $0[key] }) { return known }
        guard let document = try connection.document(ofForm: id, version: version) else {
            return nil
        }
        let form = try FormDefinition(json: JSON.parse(document.definition))
        let policies = FieldPolicies(form: form)
        shelf.withLock { shelf in
            if shelf.count >= FormShelf.capacity { shelf.removeAll() }
            shelf[key] = policies
        }
        return policies
    }
}
