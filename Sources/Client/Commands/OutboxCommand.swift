internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum OutboxCommand {
    private static let all = Option(
        "all", help: "Also the rows that the server has acknowledged.")

    static let entry = Entry(
        name: "outbox", summary: "The queue of changes, a row each.",
        discussion: """
            With --json each row has what was entered as payload, so that a copy of all that waits \
            can be kept wherever the network stays away.
            """, options: [all]
    ) { run in
        let wantsAll = run.invocation.has(all.name)
        let (rows, payloads) = try run.withStore(for: .reading) { store in
            (
                try store.outbox(all: wantsAll),
                run.wantsJSON ? try store.payloads(all: wantsAll) : [:]
            )
        }
        try run.emit(.array(rows.map { $0.json(with: payloads[$0.mutationId] ?? [:]) })) {
            table(of: rows)
        }
        return .done
    }

    private static func table(of rows: [OutboxRow]) -> String {
        var table = TextTable(["MUTATION", "STATUS", "WHAT", "SINCE", "TRIES", "REASON"])
        for row in rows {
            let what =
                "\(row.operation) \(row.tableName): "
                + row.columns.joined(separator: " ")
            table.append([
                row.mutationId.rawValue, row.status, what, row.createdAtUtc,
                "\(row.retryCount)", row.lastError ?? "",
            ])
        }
        return table.text
    }
}

extension OutboxRow {
    func json(with payload: [FieldName: FieldValue]) -> JSON {
        [
            "mutationId": .string(mutationId.rawValue), "recordId": .string(recordId.rawValue),
            "tableName": .string(tableName), "operation": .string(operation),
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
