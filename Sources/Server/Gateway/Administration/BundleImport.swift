import Arguments
import Coding
import Replication
import ServerStore

/// `walkdownd import bundle`: what a device has not been able to send, by cable. Checked from end to
/// end before anything of it is merged; imported again it changes nothing.
enum BundleImport {
    static let entry = Administration(
        name: "bundle", summary: "Unsent changes of a device, from 'walkdown bundle'.",
        positionals: [Positional("FILE")], fileOperand: "FILE", fileKind: .bytes
    ) { session, invocation, console in
        let path = invocation.operand("FILE")
        let file = try session.readBytes(path)
        let device = try BundleImport.device(of: file, path, session)
        let bundle = try reader(of: file, path, device, session)
        var report = BundleReport(device: device)
        do {
            try take(bundle, of: device, session, &report)
        } catch {
            report.left = bundle.mutationCount - report.count
            try tell(report, invocation, console)
            throw interruption(by: error, path, report)
        }
        try tell(report, invocation, console)
        return report.needsPerson ? .needsPerson : .done
    }

    private static func take(
        _ bundle: BundleReader, of device: Device, _ session: Session,
        _ report: inout BundleReport
    ) throws {
        var holds = BatchHolds()
        for index in 0..<bundle.batchCount {
            let batch = try bundle.batch(index)
            let verdicts = try session.store.take(
                bundled: batch, ofDevice: device.id, &holds)
            report.count(batch.mutations, verdicts)
        }
    }

    private static func tell(
        _ report: BundleReport, _ invocation: Invocation, _ console: Console
    ) throws {
        if invocation.has("json") {
            try console.writeDocument(report.json.serialized())
        } else {
            try console.write(terminalSafe(report.text, keepingLines: true))
        }
    }

    /// Each batch is taken or not as a whole, and what was taken stays.
    private static func interruption(
        by error: any Error, _ path: String, _ report: BundleReport
    ) -> Failure {
        let cause = Walkdownd.renderer.failure(for: error)
        let advice =
            "\(report.count) of \(report.count + report.left) changes in \(path) were judged before,"
            + " as it says above. Import it again then: what was taken changes nothing twice."
        return Failure(
            cause.exitCode, cause.sentence,
            advice: [cause.advice, advice].compactMap { $0 }.joined(separator: " "))
    }

    private static func device(
        of file: [UInt8], _ path: String, _ session: Session
    ) throws -> Device {
        let header: BundleHeader
        do {
            header = try BundleHeader(of: file)
        } catch {
            throw words(for: error, path)
        }
        guard let device = try session.store.device(id: header.device) else {
            throw Failure(
                .failed,
                "\(path) was made by device \(header.device), which this server does not know",
                advice: "Import it where that device is enrolled. Nothing was taken.")
        }
        guard device.state == .active else {
            throw Failure(
                .failed, "\(path) was made by '\(device.name)', which is revoked; nothing was taken"
            )
        }
        return device
    }

    private static func reader(
        of file: [UInt8], _ path: String, _ device: Device, _ session: Session
    ) throws -> BundleReader {
        guard let hash = try session.store.tokenHash(ofDevice: device.id) else {
            throw Failure(.failed, "there is no device '\(device.id)'")
        }
        do {
            return try BundleReader(file, tokenHash: hash)
        } catch {
            throw words(for: error, path)
        }
    }

    private static func words(for error: BundleError, _ path: String) -> Failure {
        let again = "Nothing was taken. The device still has all of it: make a new one there."
        switch error {
        case .notABundle:
            return Failure(.validation, "\(path) is no bundle of a device")
        case .unknownVersion(let version):
            return Failure(
                .validation, "\(path) is of version \(version), which a newer walkdown has made",
                advice: "Upgrade this server first. Nothing was taken.")
        case .notAuthentic:
            return Failure(
                .validation,
                "\(path) was changed on its way, or made before the device got a new token",
                advice: again)
        case .cutShort:
            return Failure(.validation, "\(path) is cut: its end is missing", advice: again)
        case .tooLong:
            return Failure(.validation, "\(path) goes on behind its end", advice: again)
        case .unreadable:
            return Failure(
                .validation, "\(path) holds what this server cannot read",
                advice: "It may be of a newer walkdown. " + again)
        }
    }
}

/// What became of each change.
struct BundleReport {
    fileprivate struct Refused {
        var mutation: Mutation
        var status: Verdict.Status
        var reason: WireError
    }

    private let device: Device
    private var counts: [Verdict.Status: Int] = [:]
    private var refused: [Refused] = []
    /// Not judged, because the import ended before them.
    fileprivate var left = 0

    init(device: Device) {
        self.device = device
    }

    mutating func count(_ mutations: [Mutation], _ verdicts: [Verdict]) {
        for (mutation, verdict) in zip(mutations, verdicts) {
            counts[verdict.status, default: 0] += 1
            guard let reason = Self.reason(of: verdict) else { continue }
            refused.append(Refused(mutation: mutation, status: verdict.status, reason: reason))
        }
    }

    /// Why nothing of it was taken; nil where it was, if only into the review queue.
    private static func reason(of verdict: Verdict) -> WireError? {
        switch verdict.status {
        case .rejected:
            verdict.error ?? WireError(code: "rejected", message: "The server does not take it.")
        case .held:
            WireError(code: "held", message: "It waits for another change, or for its record.")
        case .applied, .merged, .duplicate, .conflict, .quarantined: nil
        }
    }

    /// Changes that were judged.
    fileprivate var count: Int { counts.values.reduce(0, +) }

    var needsPerson: Bool {
        [.conflict, .quarantined, .rejected, .held].contains { counts[$0] != nil }
    }

    var json: JSON {
        var document: [String: JSON] = [
            "device": .string(device.id), "name": .string(device.name),
            "mutations": .integer(Int64(count)), "left": .integer(Int64(left)),
            "refused": .array(refused.map(\.json)),
        ]
        for status in Verdict.Status.allCases {
            document[status.rawValue] = .integer(Int64(counts[status] ?? 0))
        }
        return .object(document)
    }

    var text: String {
        var text = "from \(device.name), team \(device.team.name)\n"
        for status in Verdict.Status.allCases {
            let name = status.rawValue.padding(to: 13)
            text += "\(name)\(counts[status] ?? 0)\n"
        }
        if left > 0 { text += "not judged".padding(to: 13) + "\(left)\n" }
        for refused in refused { text += refused.line + "\n" }
        return text
    }
}

extension BundleReport.Refused {
    fileprivate var json: JSON {
        [
            "mutationId": mutation.id.json, "tableName": .string(mutation.table),
            "recordId": mutation.record.json, "status": .string(status.rawValue),
            "code": .string(reason.code), "column": JSON(reason.column),
            "message": .string(reason.message),
        ]
    }

    fileprivate var line: String {
        let place = "\(mutation.table) \(mutation.record.rawValue)"
        let column = reason.column.map { " \($0)" } ?? ""
        return "\(status.rawValue) \(place)\(column): \(reason.message)"
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
