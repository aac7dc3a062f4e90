import Arguments
import Coding
import Crypto
import Replication
import ServerStore

enum DeviceCommands {
    static let all = [code, list, revoke]

    static let code = Administration(
        name: "code", summary: "Make a one-time enrolment code.",
        options: [
            Option("team", value: "TEAM", help: "The device's team."),
            Option("name", value: "N", help: "What the device is to be called."),
            Option("valid", value: "TIME", help: "10m to 7d; 1h unless given."),
        ]
    ) { session, invocation, console in
        guard let team = invocation.value("team") else {
            throw Failure(.usage, "for which team?", advice: "Say --team TEAM.")
        }
        let code = EnrollmentCode(
            secret: Crypto.random(EnrollmentCode.secretCount),
            caCertificate: try session.authority())
        let issued = try session.store.issueCode(
            team: team, deviceName: invocation.value("name"), secretHash: code.secretHash,
            validFor: try Validity.milliseconds(invocation.value("valid") ?? "1h"))
        let expires = SyncTimestamp.text(issued.expires)
        if invocation.has("json") {
            let document: JSON = ["code": .string(code.text), "expiresUtc": .string(expires)]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine(code.text)
            console.say(
                "For one device of team \(terminalSafe(issued.team.name)), until \(expires).")
        }
        return .done
    }

    static let list = Administration(
        name: "list", summary: "List the devices, with what each reported last."
    ) { session, invocation, console in
        let devices = try session.store.devices()
        let decided = try session.store.decidedSinceReports()
        if invocation.has("json") {
            let documents = devices.map { document($0, decided: decided[$0.id] ?? 0) }
            try console.writeDocument(JSON.array(documents).serialized())
            return .done
        }
        var table = TextTable([
            "ID", "NAME", "TEAM", "STATE", "LAST PUSH", "PENDING", "FAILED", "CONFLICT", "REVIEW",
            "DECIDED", "OLDEST", "REPORTED",
        ])
        for device in devices {
            let report = device.report
            let counts = [report.pending, report.failed, report.conflict, report.inReview]
            var cells = [
                device.id, device.name, device.team.name, device.state.rawValue,
                device.lastPush.map(SyncTimestamp.text) ?? "never",
            ]
            cells += counts.map { $0.map(String.init) ?? "?" }
            cells += [
                String(decided[device.id] ?? 0), report.oldestUnsyncedUtc ?? "-",
                device.lastReport.map(SyncTimestamp.text) ?? "never",
            ]
            table.append(cells)
        }
        try console.write(table.text)
        return .done
    }

    /// - Parameter decided: of what it counted last, settled here since.
    private static func document(_ device: Device, decided: Int64) -> JSON {
        [
            "id": .string(device.id), "name": .string(device.name),
            "team": .string(device.team.name), "state": .string(device.state.rawValue),
            "lastPushUtc": JSON(device.lastPush.map(SyncTimestamp.text)),
            "lastPullUtc": JSON(device.lastPull.map(SyncTimestamp.text)),
            "pending": JSON(device.report.pending), "failed": JSON(device.report.failed),
            "conflict": JSON(device.report.conflict), "inReview": JSON(device.report.inReview),
            "decidedSince": .integer(decided),
            "oldestUnsyncedUtc": JSON(device.report.oldestUnsyncedUtc),
            "reportedUtc": JSON(device.lastReport.map(SyncTimestamp.text)),
        ]
    }

    static let revoke = Administration(
        name: "revoke", summary: "Refuse a device from its next request on.",
        positionals: [Positional("ID")]
    ) { session, invocation, console in
        let id = invocation.operand("ID")
        try session.store.revokeDevice(id: id)
        if invocation.has("json") {
            let document: JSON = ["id": .string(id), "state": "revoked"]
            try console.writeDocument(document.serialized())
        } else {
            try console.writeLine("device \(terminalSafe(id)) revoked")
        }
        return .done
    }
}

/// How long a code holds: a number and `m`, `h` or `d`.
enum Validity {
    static let range: ClosedRange<Int64> = 10 * minute...7 * 24 * 60 * minute
    private static let minute: Int64 = 60_000

    static func milliseconds(_ text: String) throws(Failure) -> Int64 {
        let units: [Character: Int64] = ["m": minute, "h": 60 * minute, "d": 24 * 60 * minute]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...100_000).contains(count), range.contains(count * unit)
        else {
            throw Failure(
                .usage, "'\(text)' is no time for a code",
                advice: "Write 10m to 7d, as in 30m, 12h or 2d.")
        }
        return count * unit
    }
}
