import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// Pulls from the beginning: late devices, repairs, and walks through restores.
struct FullPullTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    @Test(
        "M28 a late device lets go of what was deleted and pruned, and hands in what it wrote there"
    )
    func pruned() throws {
        let stays = try device.acceptedInspectionOf(server)
        let gone = try device.acceptedInspectionOf(server)
        let edited = try device.acceptedInspectionOf(server)
        for id in [gone, edited] { server.delete(id) }
        server.edit(stays, ["notes": .string("later")])
        server.prune()
        try device.store.set([("notes", .string("rescued"))], on: edited)
        try device.pullAll(from: server)
        #expect(try device.store.inspections().map(\.id).contains(gone) == false)
        #expect(try device.value("notes", of: edited) == .string("rescued"))
        try device.pushAll(to: server)
        #expect(try device.store.status().inReview == 1)
        #expect(server.records[edited] == nil)
        #expect(try device.value("notes", of: stays) == .string("later"))
        let row = try #require(try device.store.outbox().first)
        server.decide(row.mutationId, on: edited, takes: [:])
        try device.pullAll(from: server)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(edited)'") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T85 T88 what a copy of this device had sent, and went out of scope, goes with the pull that tells it"
    )
    func confirmedOutOfScope() throws {
        try device.pullAll(from: server)
        let id = try device.newInspection()
        let batch = try #require(try device.store.sealBatch())
        // The server is in another epoch, and knows the mutation already: of the record it shows nothing.
        server.epoch = 2
        let verdicts = batch.mutations.map {
            Verdict(mutationId: $0.id, status: .applied, version: 1)
        }
        try device.store.apply(
            PushResponse(results: verdicts, baton: nil, server: server.state), to: batch)
        #expect(try device.store.status().pending == 0)
        try device.pullAll(from: server)
        #expect(try device.number("SELECT count(*) FROM record WHERE id = '\(id)'") == 0)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a pull from the beginning in the same epoch offers nothing again")
    func sameEpoch() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        try device.sync(server)
        let cursor = try device.store.position().cursor
        try device.store.restartPull()
        let next = try device.newInspection()
        try device.sync(server)
        #expect(server.pullPositions.last == cursor)
        #expect(server.records[next] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T49 a repair brings back what was lost here, drops what is too much, counts anew")
    func repair() throws {
        for number in 1...3 {
            server.edit(RecordID("r\(number)"), ["doors": .integer(Int64(number))])
        }
        try device.pullAll(from: server)
        try device.store.settle { database in
            try database.removeCopy(of: "r1")
            try database.execute("UPDATE field SET value = 9 WHERE record_id = 'r2'")
            try database.execute("UPDATE record SET digest = zeroblob(16) WHERE id = 'r2'")
            try database.execute(
                "INSERT INTO record (id, table_name, version, digest) "
                    + "VALUES ('r4', 'inspection', 1, zeroblob(16))")
            try database.execute("UPDATE __sync_digest SET digest = zeroblob(16)")
        }
        #expect(try device.pullAll(from: server).sitesDiffering == [""])
        #expect(try device.store.beginRepair(of: [""]))
        #expect(try device.pullAll(from: server).sitesDiffering == [])
        #expect(try device.value("doors", of: "r2") == .integer(2))
        #expect(try !device.store.beginRepair(of: [""]))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T58 a counter that the server does not believe begins anew, and the same changes arrive")
    func counter() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.settle { try $0.setMetadata("lamport", .integer(1 << 60)) }
        try device.store.set([("doors", .integer(1))], on: id)
        _ = try device.store.sealBatch()
        try device.store.recoverInFlight()
        try device.store.set([("doors", .integer(2)), ("notes", .string("n"))], on: id)
        let sent = try device.store.outbox().map(\.mutationId)
        try device.pushAll(to: server)
        #expect(try device.store.outbox().map(\.status) == ["PENDING", "PENDING"])
        #expect(try device.store.outbox().map(\.retryCount) == [1, 1])
        #expect(try device.store.position().lamport < 1 << 32)
        #expect(try device.store.audit() == [])
        try device.store.set([("facility", .string("Dock"))], on: id)
        try device.sync(server)
        #expect(server.records[id]?.fields["doors"]?.value == .integer(2))
        #expect(server.records[id]?.fields["notes"]?.value == .string("n"))
        #expect(server.records[id]?.fields["facility"]?.value == .string("Dock"))
        #expect(server.contents.clock.counter < 1 << 32)
        let all = try device.store.outbox(all: true).map(\.mutationId)
        #expect(all.contains(sent[0]) && all.contains(sent[1]))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("a server that never believes the counter makes the change FAILED, the fifth time")
    func counterNeverBelieved() throws {
        server.refused["inspection"] = .lamportJump
        let id = try device.newInspection()
        for _ in 1...5 { try device.sync(server) }
        #expect(try device.store.status().failed == 1)
        #expect(try device.store.outbox().first?.lastError?.hasPrefix("lamport_jump") == true)
        server.refused = [:]
        let row = try #require(try device.store.outbox().first)
        try device.store.retry(row.mutationId)
        try device.sync(server)
        #expect(server.records[id] != nil)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T85 later changes do not conflict with what this device sent under its former node")
    func chainAcrossNodes() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("one"))], on: id)
        let lost = try #require(try device.store.sealBatch())
        _ = try server.push(lost)
        try device.store.recoverInFlight()
        try device.store.set([("notes", .string("two")), ("doors", .integer(1))], on: id)
        try device.store.takeNewNode()
        #expect(try device.store.audit() == [])
        let again = try #require(try device.store.sealBatch())
        #expect(again.mutations.map(\.id) == lost.mutations.map(\.id))
        #expect(again.clientNodeId != lost.clientNodeId && again.baton == nil)
        try device.store.apply(server.push(again), to: again)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("two"))
        #expect(try device.store.conflicts() == [])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T85 a change of the other copy is a stranger's: both are kept apart")
    func otherCopysChange() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        server.edit(id, ["notes": .string("the copy's")], by: "node-a")
        try device.pullAll(from: server)
        try device.store.takeNewNode()
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("the copy's"))
        #expect(try device.store.conflicts().map(\.mine) == [.string("mine")])
        try device.store.resolve(id, ["notes": .mine])
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 edits, cuts, prunings and restores in any order: all that this device wrote is there",
        arguments: 1...12 as ClosedRange<UInt64>)
    func walk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        server.policies = ["doors": .lww, "notes": .lww, "facility": .union]
        var backups = [server.contents]
        var last: [RecordID: Int64] = [:]
        for step in 0..<90 {
            let ids = last.keys.sorted()
            switch random.below(9) {
            case 0: last[try device.newInspection()] = -1
            case 1, 2:
                guard !ids.isEmpty else { continue }
                let id = random.pick(ids)
                last[id] = Int64(step)
                try device.store.set([("doors", .integer(Int64(step)))], on: id)
            case 3:
                guard let id = ids.first(where: { server.records[$0] != nil }) else { continue }
                server.edit(id, ["notes": .string("n\(step)")])
            case 4: try device.pushAll(to: server)
            case 5: try device.pullAll(from: server, limit: 2)
            case 6: backups.append(server.contents)
            case 7:
                guard random.oneIn(3) else { continue }
                server.restore(random.pick(backups))
            default:
                // The answer is lost; the process ends in between.
                if let batch = try device.store.sealBatch() { _ = try server.push(batch) }
                try device.reopen()
                try device.store.recoverInFlight()
            }
            #expect(try device.store.audit() == [], "seed \(seed), step \(step)")
            for (id, value) in last where value >= 0 {
                #expect(
                    try device.value("doors", of: id) == .integer(value),
                    "seed \(seed), step \(step)")
            }
        }
        for _ in 1...4 { try device.sync(server) }
        for (id, value) in last {
            let stored = server.records[id]?.fields["doors"]?.value ?? .integer(-1)
            #expect(stored == .integer(value) && server.records[id] != nil, "seed \(seed)")
        }
        try device.expectNothingPending(server)
        try device.finish()
    }
}
