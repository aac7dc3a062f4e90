internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum OutboxCommand {
    private static let all = Option(
        "all", help: "Also the rows that the server has acknowledged.")
    private static let limit = Option(
        "limit", value: "N",
        help: "Let so many changes wait for the server, instead of listing them. 1000 at first.")

    static let entry = Entry(
        name: "outbox", summary: "The queue of changes, a row each.",
        discussion: """
            With --json each row has what was entered as payload, so that a copy of all that waits \
            can be kept wherever the network stays away. At the limit ('status' tells it) no new \
            change begins; those that wait stay, also under a lower one.
            """, options: [all, limit]
    ) { run in
        if let words = run.invocation.value(limit.name) { return try setLimit(words, run) }
        let wantsAll = run.invocation.has(all.name)
        let (rows, places, names, payloads) = try run.withStore(for: .reading) { store in
            let rows = try store.outbox(all: wantsAll)
            let findings = rows.filter { $0.tableName == RecordTable.finding }
            return (
                rows, try store.rowPlaces(of: Set(rows.map(\.recordId))),
                try store.findingNames(findings.map(\.recordId)),
                run.wantsJSON ? try store.payloads(all: wantsAll) : [:]
            )
        }
        let documents = rows.map {
            $0.json(
                at: places[$0.recordId], about: names[$0.recordId],
                with: payloads[$0.mutationId] ?? [:])
        }
        try run.emit(.array(documents)) { table(of: rows, places, names) }
        return .done
    }

    private static func setLimit(_ words: String, _ run: CommandRun) throws -> ExitCode {
        let limits = DeviceStore.queueLimits
        guard let limit = Int64(words), limits.contains(limit) else {
            throw Failure(
                .usage, "'\(words)' is no limit of the queue",
                advice: "A whole number from \(limits.lowerBound) to \(limits.upperBound).")
        }
        try run.withStore(for: .writing) { try $0.setQueueLimit(limit) }
        try run.emit(["queueLimit": .integer(limit)]) {
            counted(Int(limit), "change", "changes") + " may wait\n"
        }
        return .done
    }

    private static func table(
        of rows: [OutboxRow], _ places: [RecordID: RowPlace], _ findings: [RecordID: String]
    ) -> String {
        var table = TextTable(["MUTATION", "STATUS", "WHAT", "SINCE", "TRIES", "REASON"])
        for row in rows {
            let subject =
                findings[row.recordId] ?? places[row.recordId]?.address ?? row.tableName
            let what = "\(row.operation) \(subject): " + row.columns.joined(separator: " ")
            table.append([
                row.mutationId.rawValue, row.status, what, row.createdAtUtc,
                "\(row.retryCount)", row.lastError ?? "",
            ])
        }
        return table.text
    }
}

extension OutboxRow {
    /// - Parameters:
    ///   - place: of a row of a repeat.
    ///   - name: of a finding.
    func json(
        at place: RowPlace?, about name: String?, with payload: [FieldName: FieldValue]
    ) -> JSON {
        [
            "inspection": JSON(place?.inspection.rawValue), "row": JSON(place?.address),
            "mutationId": .string(mutationId.rawValue), "recordId": .string(recordId.rawValue),
            "tableName": .string(tableName), "about": JSON(name), "operation": .string(operation),
            "status": .string(status), "retryCount": .integer(retryCount),
            "lastError": JSON(lastError), "nextAttemptUtc": JSON(nextAttemptUtc),
            "createdAtUtc": .string(createdAtUtc), "columns": .array(columns.map(JSON.string)),
            "payload": .object(payload.mapValues(\.json)),
        ]
    }
}

extension DeviceStore {
    /// The waiting mutation whose id is this text or begins with it.
    func mutationID(matching text: String) throws -> MutationID {
        let rows = try outbox()
        return try ShortID.find(text, among: rows.map(\.mutationId), called: "waiting mutation")
    }
}
