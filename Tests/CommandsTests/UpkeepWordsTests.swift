import Arguments
import Coding
import LocalStore
import Replication
import Sync
import TestSupport
import Testing

@testable import Commands

/// What commands say of upgrades that wait, and of what the store takes.
@Suite("Words about upgrades and sizes")
struct UpkeepWordsTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test(
        "a server that wants a newer walkdown is told by status, until it speaks with this one again"
    )
    func upgradeNeeded() throws {
        let refused = CycleReport(outcome: .refused(Refusal(.upgradeNeeded, status: 426)))
        try bench.withStore { try $0.note(refused, at: 0) }
        #expect(try bench.document("status").strings("notices").count == 1)
        #expect(
            try bench.run("status").output.contains("note             the server needs a newer"))
        #expect(
            try bench.run("doctor").output.contains("upgrade: the server needs a newer walkdown"))
        try bench.withStore { try $0.note(CycleReport(outcome: .synced), at: 0) }
        #expect(try bench.document("status").strings("notices") == [])
    }

    @Test("M42 a revoked device says so from then on, and that what it holds is kept")
    func revoked() throws {
        #expect(try bench.run("set", StoreBench.assigned.rawValue, "notes=x").status == 0)
        #expect(try bench.document("status").bool("revoked") == false)
        let refused = CycleReport(outcome: .refused(Refusal(.revoked, status: 403)))
        try bench.withStore { try $0.note(refused, at: 0) }
        // Whatever comes after it that is no word of the server about this device.
        for outcome in [CycleOutcome.cancelled, .refused(Refusal(.offline, status: 0))] {
            try bench.withStore { try $0.note(CycleReport(outcome: outcome), at: 0) }
        }
        let status = try bench.document("status")
        #expect(try status.bool("revoked"))
        #expect(try status.string("state") == "attention")
        #expect(try status.integer("pending") == 1 && !status.bool("nothingUnsynced"))
        let words = try bench.run("status")
        #expect(words.status == 0)
        #expect(words.output.contains("note             the server has revoked this device"))
        #expect(words.output.contains("1 change that the server has not is kept"))
        let doctor = try bench.run("doctor")
        #expect(doctor.status == 7)
        #expect(doctor.output.contains("wrong  server: the server has revoked this device"))
        try bench.withStore { try $0.note(CycleReport(outcome: .synced), at: 0) }
        #expect(try bench.document("status").bool("revoked") == false)
        #expect(try bench.run("doctor").status != 7)
    }

    @Test("a part of an upgrade that waits is one sentence, however many steps it has")
    func deferredWords() {
        var status = StatusSummary()
        #expect(status.notices == [])
        status.deferredMigrations = ["drop this", "drop that"]
        #expect(
            status.notices == [
                "a part of the last upgrade waits until everything here is sent and settled:"
                    + " 'walkdown sync'"
            ])
    }

    @Test(
        "T86 status says of how many records the restored server lacks something that is here"
    )
    func keptFromBefore() throws {
        let page = PullResponse(
            deltaRecords: [], nextCursor: "c", hasMore: false,
            server: ServerState(lamport: 1, epoch: 99, timeUtc: "2026-03-02T08:00:00.000Z"))
        try bench.withStore { store in
            // The epoch shows in the middle, and the pull begins at the beginning.
            for _ in 1...2 { try store.apply(page: page) }
        }
        #expect(try bench.document("status").integer("keptFromBefore") == 3)
        let notice =
            "the server was restored from a backup and lacks what stood here of 3 records"
        #expect(try bench.run("status").output.contains("note             \(notice)"))
        #expect(try bench.run("doctor").output.contains("kept: \(notice)"))
        let rows = try bench.run("sql", "SELECT name, value FROM __sync_lost_field")
        #expect(rows.output.contains("@title\tPier 4"))
    }

    @Test("T86 status says what of that the server refuses, and what is not whole here any more")
    func keptWords() {
        var status = StatusSummary()
        status.keptFromBefore = 4
        status.copyRefusals = [CopyRefusal(reason: "refused with 400: No.", records: 3)]
        status.keptRefused = 3
        status.keptInPart = 1
        #expect(!status.notices.joined().contains("offered with each sync"))
        #expect(status.notices.count == 3)
        #expect(status.notices[1].contains("of 3 records (refused with 400: No.)"))
        #expect(
            status.notices[2].hasPrefix("the answers of 1 old record had gone from this device"))
        // A record may have several reasons: their numbers say nothing of the others.
        status.copyRefusals.append(CopyRefusal(reason: "not allowed", records: 3))
        (status.keptFromBefore, status.keptOffered) = (5, 1)
        #expect(status.notices[0].contains("it is offered with each sync, and kept"))
    }

    @Test("the 426 of a cycle says what to do, and that nothing is lost")
    func refusalWords() {
        let failure = CycleReport(outcome: .refused(Refusal(.upgradeNeeded, status: 426))).failure
        #expect(failure?.sentence == "the server needs a newer walkdown")
        #expect(failure?.advice?.hasPrefix("Everything is kept. Upgrade walkdown") == true)
    }

    @Test("doctor says how large the store is and when it was last purged")
    func sizes() throws {
        #expect(try bench.run("doctor").output.contains("storage: "))
        #expect(try bench.run("doctor").output.contains("last purge never"))
        try bench.withStore { try $0.keepUp { true } }
        #expect(try bench.run("doctor").output.contains("last purge 2026-03-02T08:00:00.000Z"))
    }
}
