import Coding
import Crypto
import Foundation
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

/// `walkdownd import bundle`, alone and beside a running server.
@Suite("F12 A bundle comes to the office", .timeLimit(.minutes(10)))
struct BundleImportTests {
    private static let token = String(repeating: "c3", count: 32)

    /// The device of team North from which the bundles come.
    private func device(_ office: Office) throws -> Device {
        try office.serve { store in
            try Ground().lay(in: store)
            return try Ground().enrol(
                "h1", node: "n1", tokenHash: SHA256.hash(Array(Self.token.utf8)), in: store)
        }
    }

    private func change(_ number: Int64, _ values: [FieldName: FieldValue]) -> Mutation {
        Mutation(
            id: MutationID("m\(number)"), sequence: number, table: RecordTable.inspection,
            record: Ground.inspection(),
            parent: Ground.asset, operation: .update, lamport: number,
            changes: values.mapValues {
                FieldChange(value: $0, baseVersion: 1, lamport: number)
            }, createdAtUtc: "2026-03-02T08:00:00.000Z")
    }

    private func bundle(
        _ device: Device, named id: String? = nil, token: String = token, _ mutations: [Mutation]
    ) throws -> [UInt8] {
        let header = BundleHeader(
            device: id ?? device.id,
            nonce: Crypto.random(BundleHeader.nonceByteCount))
        var writer = try BundleWriter(header, token: token)
        let batch = try writer.frame(
            PushRequest(
                clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
                mutations: mutations))
        return try writer.head + batch + writer.endMark()
    }

    private func write(_ bytes: [UInt8], _ office: Office, to name: String = "b") throws -> String {
        let path = office.parent.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test(
        "it is taken in alone and beside a server, again without effect", arguments: [false, true])
    func taken(serving: Bool) throws {
        let office = try Office()
        let device = try device(office)
        let path = try write(
            bundle(
                device,
                [
                    change(1, ["notes": .string("ten days")]),
                    change(2, ["nonsense": .integer(1)]),
                ]), office)
        let work = {
            let first = office.call("import", "bundle", path)
            #expect(first.status == 5, "\(first.messages)")
            #expect(first.output.contains("from h1, team North\napplied      1\n"))
            #expect(first.output.contains("rejected     1\n"))
            let place = "rejected inspection \(Ground.inspection()) nonsense: "
            #expect(first.output.contains(place))
            let again = office.call("import", "bundle", path, "--json")
            let document = try JSON.parse(Array(again.output.utf8))
            #expect(try document.integer("duplicate") == 1 && document.integer("applied") == 0)
            #expect(try document.integer("rejected") == 1 && document.integer("mutations") == 2)
            let refused = try #require(document.required("refused").asArray().first)
            #expect(try refused.string("code") == "unknown_question")
            #expect(try refused.string("mutationId") == "m2")
        }
        if serving { try office.serve { _ in try work() } } else { try work() }
        #expect(office.call("export", "--format", "json").output.contains("ten days"))
    }

    @Test("a bundle in which everything is taken exits 0, also the second time")
    func clean() throws {
        let office = try Office()
        let device = try device(office)
        let path = try write(
            bundle(device, [change(1, ["notes": .string("n")])]), office)
        #expect(office.call("import", "bundle", path).status == 0)
        #expect(office.call("import", "bundle", path).status == 0)
    }

    @Test(
        "an import that fails in the middle prints what it took before", arguments: [false, true])
    func interrupted(serving: Bool) throws {
        let office = try Office()
        let device = try device(office)
        let header = BundleHeader(
            device: device.id, nonce: Crypto.random(BundleHeader.nonceByteCount))
        var writer = try BundleWriter(header, token: Self.token)
        var bytes = writer.head
        // The second batch has another change in the same place of the sequence, as a copy has.
        for day in 1...2 {
            var mutation = change(1, ["notes": .string("day \(day)")])
            mutation.id = MutationID("day\(day)")
            bytes += try writer.frame(
                PushRequest(
                    clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
                    mutations: [mutation]))
        }
        let path = try write(bytes + writer.endMark(), office)
        let work = {
            let reply = office.call("import", "bundle", path)
            #expect(reply.status == 1, "\(reply.messages)")
            #expect(reply.output.contains("applied      1\n"))
            #expect(reply.output.contains("not judged   1\n"))
            #expect(reply.messages.contains("1 of 2 changes in \(path) were judged before"))
        }
        if serving { try office.serve { _ in work() } } else { work() }
        let export = office.call("export", "--format", "json").output
        #expect(export.contains("day 1") && !export.contains("day 2"))
    }

    @Test("what is cut, changed, foreign or revoked is refused whole, with a sentence of its own")
    func refused() throws {
        let office = try Office()
        let device = try device(office)
        let mutations = [change(1, ["notes": .string("secret words")])]
        let whole = try bundle(device, mutations)
        var changed = whole
        changed[whole.count - 60] ^= 1
        let cases: [(bytes: [UInt8], status: Int32, words: String)] = [
            (Array(whole.dropLast(7)), 3, "its end is missing"),
            (changed, 3, "was changed on its way"),
            (whole + [0], 3, "goes on behind its end"),
            (Array("id,name,team\n".utf8), 3, "is no bundle of a device"),
            (try bundle(device, named: "elsewhere", mutations), 1, "does not know"),
            (try bundle(device, token: "old", mutations), 3, "before the device got a new token"),
        ]
        for (index, refused) in cases.enumerated() {
            let path = try write(refused.bytes, office, to: "case\(index)")
            let reply = office.call("import", "bundle", path)
            #expect(reply.status == refused.status, "\(refused.words)")
            #expect(reply.messages.contains(refused.words), "\(reply.messages)")
            #expect(!reply.messages.contains("secret words"))
        }
        let path = try write(whole, office)
        #expect(office.call("device", "revoke", device.id).status == 0)
        let revoked = office.call("import", "bundle", path)
        #expect(revoked.status == 1 && revoked.messages.contains("is revoked"))
        #expect(office.call("export").output.contains("secret words") == false)
        #expect(office.call("import", "bundle", office.parent.file("none")).status == 1)
    }
}
