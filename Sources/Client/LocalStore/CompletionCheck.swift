internal import Forms
internal import Inspections
package import Replication
internal import SQLite

/// Finishing an inspection: the look at whether it may be and the new state are one transaction, so
/// that no pull and no second process comes between them.
extension DeviceStore {
    /// Finishes an inspection, with what its form sets and works out at the end.
    ///
    /// A change of it, or of what stands below it, that the server has refused is not there: whoever
    /// reads the finished inspection would miss it, and nobody would enter it any more.
    /// - Throws: `Completion.Refusal` with the state or the problems in the way; `changesRefused`;
    ///   `unknownForm` where its form is not on this device.
    package func complete(_ id: RecordID) throws {
        do {
            try edit { database in
                try requireCompletable(id, database)
                try database.beginWork(on: id)
                try reckon(id, isFinishing: true, database)
                try database.noteSaved(id)
                let problems = try filling(of: id, database).state.problems
                guard problems.isEmpty else { throw LateProblems(problems: problems) }
                try write(state: .complete, of: id, database)
            }
        } catch let late as LateProblems {
            // What answers of several devices come to together may raise a finding that nobody has seen.
            // It stands from now on, to be worked on; the end of the work is not noted, but where the
            // trouble comes of what the form sets then: nobody could mend what is nowhere to be seen.
            try edit { database in
                try reckon(id, isFinishing: false, database)
                guard try filling(of: id, database).state.problems.isEmpty else { return }
                try reckon(id, isFinishing: true, database)
            }
            throw Completion.Refusal.problems(late.problems)
        }
    }

    /// What came up only when the form had worked everything out.
    private struct LateProblems: Error {
        let problems: [FormProblem]
    }

    /// Whether what is stored may be finished: a picture on a screen can be older than a pull.
    func requireCompletable(_ id: RecordID, _ database: Connection) throws {
        try database.requireRecord(id, table: RecordTable.inspection)
        var shelf = try shelf(database)
        try shelf.load(id)
        guard let state = try shelf.summary(of: id)?.knownState() else {
            throw StoreError.unknownRecord(id.rawValue)
        }
        try Completion.check(try filling(of: id, database), state: state)
        let refused = try changesRefused(of: id, database)
        if !refused.isEmpty { throw StoreError.changesRefused(refused.map(\.mutationId.rawValue)) }
    }

    /// Answers that the server has refused, of an inspection and of all that belongs to it.
    package func changesRefused(of id: RecordID) throws -> [OutboxRow] {
        try read { try changesRefused(of: id, $0) }
    }

    private func changesRefused(
        of id: RecordID, _ database: Connection
    ) throws -> [OutboxRow] {
        let family = Set(try database.family(of: id))
        return try database.refusedRows().filter { row in
            family.contains(row.recordId) && row.columns != [BuiltInField.state]
        }
    }
}
