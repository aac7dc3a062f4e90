import Coding
import Foundation
import Replication
import Testing

@testable import Gateway

/// `walkdown-sync(7)` against what the server says: whoever writes another client has this page
/// alone.
@Suite("walkdown-sync(7)")
struct ProtocolPageTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func page() throws -> String {
        try String(
            contentsOf: Self.root.appendingPathComponent("man/walkdown-sync.7"), encoding: .utf8)
    }

    /// Words of the page: letters, digits and underscores.
    private func words() throws -> Set<Substring> {
        Set(try page().split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }

    /// The source of the modules that answer devices.
    private func sources() throws -> [String] {
        let folders = [
            "Sources/Server/HTTP", "Sources/Server/Gateway", "Sources/Server/ServerStore",
            "Sources/Shared/Replication",
        ]
        return try folders.flatMap { folder in
            let place = Self.root.appendingPathComponent(folder)
            let names = try FileManager.default.subpathsOfDirectory(atPath: place.path)
            return try names.filter { $0.hasSuffix(".swift") }.map { name in
                try String(contentsOf: place.appendingPathComponent(name), encoding: .utf8)
            }
        }
    }

    @Test("names every status with every code that the source gives to an error")
    func errors() throws {
        let words = try words()
        var found: Set<String> = []
        // Statuses and codes stand beside each other where an error is made, and nowhere else.
        let withStatus = #/(?:\.error|Refusal)\(\s*(\d{3}), "(\w+)"/#
        let bad = #/\.bad\(\s*"(\w+)"/#
        let ofMutation = #/code: "(\w+)"/#
        for text in try sources() {
            for match in text.matches(of: withStatus) {
                found.insert(String(match.1))
                found.insert(String(match.2))
            }
            for match in text.matches(of: bad) { found.insert(String(match.1)) }
            for match in text.matches(of: ofMutation) { found.insert(String(match.1)) }
            for match in text.matches(of: #/status: (\d{3})\b/#) { found.insert(String(match.1)) }
        }
        let known = ["413", "stopping", "code_unknown", "bad_json", "lamport_jump", "304", "201"]
        #expect(found.isSuperset(of: known), "the source is read as it is written")
        #expect(found.filter { !words.contains($0[...]) }.sorted() == [])
    }

    @Test("names every code of a rejection and every status of a mutation")
    func verdicts() throws {
        let words = try words()
        let statuses = Verdict.Status.allCases.map(\.rawValue)
        #expect(statuses.filter { !words.contains($0[...]) } == [])
        // The codes are raw values of an enumeration of the store.
        let source = try #require(try sources().first { $0.contains("enum RejectionCode") })
        let start = try #require(source.range(of: "enum RejectionCode")).upperBound
        let codes = source[start...].matches(of: #/case (\w+)(?: = "(\w+)")?/#)
            .map { $0.2 ?? $0.1 }
        #expect(codes.count >= 9)
        #expect(codes.filter { !words.contains($0) } == [])
    }

    @Test("names every route, every key of a message and every item of a query")
    func keys() throws {
        let (page, words) = (try page(), try words())
        for route in Routes.all {
            #expect(page.contains(".Ss \(route.method) \(route.pattern)\n"), "\(route.pattern)")
        }
        var keys: Set<String> = []
        for message in Self.messages { gather(message, into: &keys) }
        #expect(keys.isSuperset(of: ["theirsNode", "lamport", "caPem", "digest", "heldBy"]))
        #expect(keys.filter { !words.contains($0[...]) }.sorted() == [])
        let query = PullRequest(cursor: "c", report: Self.report).queryItems
        #expect(query.count == 7)
        for item in query { #expect(page.contains(".It Ql \(item.name)\n"), "\(item.name)") }
    }

    private func gather(_ json: JSON, into keys: inout Set<String>) {
        switch json {
        case .object(let members):
            keys.formUnion(members.keys)
            for member in members.values { gather(member, into: &keys) }
        case .array(let items):
            for item in items { gather(item, into: &keys) }
        default: break
        }
    }

    private static let report = DeviceReport(
        pending: 1, failed: 1, conflict: 1, inReview: 1, oldestUnsyncedUtc: "t")

    /// One of each message, with everything in it that may be left out. Fields and sites have the
    /// names that they have in the page's examples.
    private static var messages: [JSON] {
        let stamp = Stamp(lamport: 1, node: "n")
        let record = WireRecord(
            table: "inspection", id: "r", parent: "p", version: 1,
            fields: ["name": .init(value: .integer(1), stamp: stamp, version: 1)],
            updatedAtUtc: "t")
        let conflict = FieldConflict(
            column: "name", base: .null, mine: .null, theirs: .null, theirsNode: "n", rule: "ask")
        let verdict = Verdict(
            mutationId: "m", status: .conflict, heldBy: "h", version: 1, record: record,
            conflicts: [conflict], error: WireError(code: "c", column: "name", message: "m"))
        let server = ServerState(lamport: 1, epoch: 1, timeUtc: "t")
        let change = FieldChange(
            value: .null, baseValue: .null, baseVersion: 1, lamport: 1, formerVersion: 1,
            hasExactBase: true)
        let mutation = Mutation(
            id: "m", sequence: 1, table: "inspection", record: "r", parent: "p",
            operation: .update, lamport: 1, changes: ["valve_pressure_psi": change],
            createdAtUtc: "t", schemaVersion: 1)
        var push = PushRequest(
            clientNodeId: "n", clientEpoch: 1, baton: "b", pullPosition: "c",
            mutations: [mutation])
        push.hasExactBases = true
        return [
            push.json,
            PushResponse(results: [verdict], baton: "b", server: server).json,
            PullResponse(
                deltaRecords: [record], results: [verdict], removed: ["r"], nextCursor: "c",
                hasMore: false,
                digest: DigestReport(position: "c", sites: ["SITE": SiteDigest()]), server: server
            ).json,
            CopyRequest(clientNodeId: "n", pullPosition: "c", records: [record]).json,
            CopyResponse(
                results: [
                    CopyVerdict(
                        recordId: "r", status: .refused, columns: ["name"],
                        error: WireError(code: "c", message: "m"))
                ], server: server
            ).json,
            report.json, HeartbeatResponse(serverEpoch: 1, serverTimeUtc: "t").json,
            EnrollRequest(
                code: "c", deviceName: "d", nodeId: "n", publicKey: "k",
                formerTeam: FormerTeam(id: "i", name: "t")
            ).json,
            EnrollResponse(
                deviceId: "d", token: "t", team: "t", caPem: "c", pins: [], serverEpoch: 1
            ).json,
            FormListing.document([FormListing(id: "i", version: "v", title: "t", state: "open")]),
            WireFailure(error: WireError(code: "c", message: "m")).json,
        ]
    }
}
