package import Coding

/// What a device counts in its queue and tells its server, with each pull or by itself, so that the
/// office sees work that has not reached it. nil = it does not say.
package struct DeviceReport: Hashable, Sendable {
    /// Mutations that wait on the device, whatever they wait for.
    package var pending: Int64?
    /// Of them: refused, and kept until a person looks.
    package var failed: Int64?
    /// Of them: the inspector has to decide.
    package var conflict: Int64?
    /// Of them: a supervisor has to decide.
    package var inReview: Int64?
    /// Since when the oldest of them waits.
    package var oldestUnsyncedUtc: String?

    package init(
        pending: Int64? = nil, failed: Int64? = nil, conflict: Int64? = nil, inReview: Int64? = nil,
        oldestUnsyncedUtc: String? = nil
    ) {
        self.pending = pending
        self.failed = failed
        self.conflict = conflict
        self.inReview = inReview
        self.oldestUnsyncedUtc = oldestUnsyncedUtc
    }

    /// As items of a query, not yet percent-encoded.
    var queryItems: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        let counts = [
            ("pending", pending), ("failed", failed), ("conflict", conflict),
            ("inReview", inReview),
        ]
        for case (let name, let count?) in counts { items.append((name, String(count))) }
        if let oldestUnsyncedUtc { items.append(("oldestUnsyncedUtc", oldestUnsyncedUtc)) }
        return items
    }

    init(query: [String: String]) throws(CodingError) {
        self.init(
            pending: try Self.count("pending", in: query),
            failed: try Self.count("failed", in: query),
            conflict: try Self.count("conflict", in: query),
            inReview: try Self.count("inReview", in: query),
            oldestUnsyncedUtc: query["oldestUnsyncedUtc"])
    }

    static func count(_ name: String, in query: [String: String]) throws(CodingError) -> Int64? {
        guard let text = query[name] else { return nil }
        guard let value = Int64(text), value >= 0 else {
            throw CodingError(.unexpected, path: name, "expected a count of 0 or more")
        }
        return value
    }
}

/// `POST /api/v1/heartbeat`: the report alone, from a device that has nothing to pull.
extension DeviceReport {
    package init(json: JSON) throws(CodingError) {
        self.init(
            pending: try json.read("pending", Count.read),
            failed: try json.readOptional("failed", Count.read),
            conflict: try json.readOptional("conflict", Count.read),
            inReview: try json.readOptional("inReview", Count.read),
            oldestUnsyncedUtc: try json.readOptional("oldestUnsyncedUtc", ShortText.read))
    }

    package var json: JSON {
        [
            "pending": JSON(pending), "failed": JSON(failed), "conflict": JSON(conflict),
            "inReview": JSON(inReview), "oldestUnsyncedUtc": JSON(oldestUnsyncedUtc),
        ]
    }
}

/// The answer 200 to a heartbeat.
package struct HeartbeatResponse: Hashable, Sendable {
    package var serverEpoch: Int64
    package var serverTimeUtc: String

    package init(serverEpoch: Int64, serverTimeUtc: String) {
        self.serverEpoch = serverEpoch
        self.serverTimeUtc = serverTimeUtc
    }

    package var json: JSON {
        ["serverEpoch": .integer(serverEpoch), "serverTimeUtc": .string(serverTimeUtc)]
    }
}
