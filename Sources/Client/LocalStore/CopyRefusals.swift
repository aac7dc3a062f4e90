internal import Forms
package import Replication
internal import SQLite

/// Copies that a restored server does not take. They stay on the device and are not offered again
/// until the server shows the record changed or begins another epoch.
extension DeviceStore {
    /// The server refused each of these alone and took others: they stay, with the reason.
    ///
    /// - Parameter refused: with the fields that were offered.
    package func setAside(_ refused: [CopyVerdict]) throws {
        try edit { database in
            for verdict in refused { try database.setAside(verdict) }
        }
    }

    /// These were refused alone too, but what is to blame is not known: they come again behind all
    /// others. Whatever is *refused* so for the fifth time is set aside, so that it costs no request for
    /// ever; what is *held* was refused by something before the server, and another network may let it
    /// through.
    package func countRefusals(_ refused: [CopyVerdict]) throws {
        try edit { database in
            for verdict in refused {
                let failures = try database.countRefusal(verdict)
                if failures >= Self.mostFailures { try database.setAside(verdict) }
            }
        }
    }
}

extension CopyVerdict {
    var reason: String {
        error.map { $0.message.isEmpty ? $0.code : $0.message } ?? ""
    }
}

extension Connection {
    fileprivate func setAside(_ verdict: CopyVerdict) throws {
        for name in verdict.columns {
            try refuse(name, of: verdict.recordId, because: verdict.reason)
        }
        try forgetRefusals(of: verdict.recordId)
        try letGoEmpty(verdict.recordId)
    }

    /// - Returns: how often it was to blame itself.
    fileprivate func countRefusal(_ verdict: CopyVerdict) throws -> Int64 {
        let id = DatabaseValue.text(verdict.recordId.rawValue)
        try execute(
            """
            UPDATE __sync_lost SET refusals = refusals + 1, failures = failures + ?2
            WHERE record_id = ?1
            """, [id, DatabaseValue(verdict.status == .refused)])
        guard verdict.status == .refused else { return 0 }
        return try first("SELECT failures FROM __sync_lost WHERE record_id = ?", [id]) {
            try $0.integer(0)
        } ?? 0
    }

    /// What comes to be offered again is counted anew.
    func forgetRefusals(of id: RecordID) throws {
        try execute(
            """
            UPDATE __sync_lost SET refusals = 0, failures = 0
            WHERE record_id = ? AND refusals > 0
            """, [.text(id.rawValue)])
    }

    /// What the server says reaches screens: bounded, and without what would steer a terminal.
    /// What it shows all the same was only to be told, and is not missing.
    func refuse(_ name: FieldName, of id: RecordID, because reason: String) throws {
        guard try !isShownAnyway(name, of: id) else { return try letGoLost(name, of: id) }
        let words = String(ShownText.clean(reason).prefix(300))
        try execute(
            "UPDATE __sync_lost_field SET refusal = ? WHERE record_id = ? AND name = ?",
            [
                // An empty one would say that it was taken.
                .text(words.isEmpty ? "refused by the server" : words), .text(id.rawValue),
                .text(name),
            ])
        try giveTurn(after: name, of: id)
    }

    private func isShownAnyway(_ name: FieldName, of id: RecordID) throws -> Bool {
        try first(
            """
            SELECT 1 FROM __sync_lost_field AS kept
            WHERE record_id = ?1 AND name = ?2 AND value IS (
                SELECT value FROM (\(Self.confirmedFields)) AS here WHERE here.name = ?2)
            """, [.text(id.rawValue), .text(name)]
        ) { _ in true } ?? false
    }

    /// Why the server does not take what is kept, the most frequent reason first, and of how many
    /// records.
    func copyRefusals() throws -> [CopyRefusal] {
        try query(
            """
            SELECT refusal, count(DISTINCT record_id) AS records FROM __sync_lost_field
            WHERE refusal <> '' GROUP BY refusal ORDER BY records DESC, refusal
            """
        ) { CopyRefusal(reason: try $0.text(0), records: Int(try $0.integer(1))) }
    }

    /// Of how many records the server does not take something, for whatever reasons.
    func recordsRefused() throws -> Int {
        try first(
            "SELECT count(DISTINCT record_id) FROM __sync_lost_field WHERE refusal <> ''"
        ) { Int(try $0.integer(0)) } ?? 0
    }
}
