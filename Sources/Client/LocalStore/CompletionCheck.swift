internal import Inspections
package import Replication
internal import SQLite

extension DeviceStore {
    /// Whether what is stored may be finished: a picture on a screen can be older than a pull.
    ///
    /// A change of it, or of what stands below it, that the server has refused is not there: whoever
    /// reads the finished inspection would miss it, and nobody would enter it any more.
    /// - Throws: `Completion.Refusal` with the state or the problems in the way; `changesRefused`;
    ///   `unknownForm` where its form is not on this device.
    package func requireCompletable(_ id: RecordID) throws {
        let summary = try inspection(id).summary
        try Completion.check(try filling(of: id), state: summary.knownState())
        let refused = try changesRefused(of: id)
        if !refused.isEmpty { throw StoreError.changesRefused(refused.map(\.mutationId.rawValue)) }
    }

    /// Answers that the server has refused, of an inspection and of all that belongs to it.
    package func changesRefused(of id: RecordID) throws -> [OutboxRow] {
        let family = try read { try Set($0.family(of: id)) }
        return try outbox().filter { row in
            row.status == "FAILED" && family.contains(row.recordId)
                && row.columns != [BuiltInField.state]
        }
    }
}
