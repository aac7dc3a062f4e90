internal import Arguments
internal import Coding
internal import LocalStore

enum StatusCommand {
    static let entry = Entry(
        name: "status", summary: "What waits, what needs a person, and the last synchronisation."
    ) { run in
        let status = try run.withStore(for: .reading) { try $0.status() }
        try run.emit(status.json) { text(of: status) }
        return .done
    }

    private static func text(of status: StatusSummary) -> String {
        """
        state            \(status.state)
        pending          \(status.pending)
        in flight        \(status.inFlight)
        failed           \(status.failed)
        conflict         \(status.conflict)
        in review        \(status.inReview)
        last sync        \(status.lastSyncUtc ?? "never")
        oldest unsynced  \(status.oldestUnsyncedUtc ?? "none")
        device           \(status.deviceId ?? "")

        """
    }
}

extension StatusSummary {
    var json: JSON {
        [
            "state": .string(state), "pending": .integer(Int64(pending)),
            "inFlight": .integer(Int64(inFlight)), "failed": .integer(Int64(failed)),
            "conflict": .integer(Int64(conflict)), "inReview": .integer(Int64(inReview)),
            "mediaPending": .integer(Int64(mediaPending)), "lastSyncUtc": JSON(lastSyncUtc),
            "oldestUnsyncedUtc": JSON(oldestUnsyncedUtc), "deviceId": JSON(deviceId),
        ]
    }
}
