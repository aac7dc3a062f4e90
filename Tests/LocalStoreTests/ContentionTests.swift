import Coding
import Dispatch
import Replication
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

/// Several threads at one store: the person, the worker, the keeper of the log.
@Suite("Many at one store", .timeLimit(.minutes(10)))
struct ContentionTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// Work on other threads, whose errors become issues of the test.
    private final class Crowd: Sendable {
        private let group = DispatchGroup()

        func begin(_ work: @escaping @Sendable () throws -> Void) {
            DispatchQueue.global().async(group: group) {
                do {
                    try work()
                } catch {
                    Issue.record(error)
                }
            }
        }

        func wait() { group.wait() }
    }

    @Test("T40 a batch that is sealed while an edit's transaction is open passes over nothing")
    func sealBesideOpenEdit() throws {
        let (slow, quick) = (
            try device.acceptedInspectionOf(server), try device.acceptedInspectionOf(server)
        )
        let store = device.store
        let (begun, mayCommit) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let crowd = Crowd()
        crowd.begin {
            try store.edit { database in
                // Its place in the queue is taken; the commit comes last of all.
                try database.write(.integer(1), to: "doors", of: slow)
                begun.signal()
                mayCommit.wait()
            }
        }
        begun.wait()
        crowd.begin { try store.set([("doors", .integer(2))], on: quick) }
        crowd.begin {
            // What it seals is lost on its way, and comes again.
            _ = try store.sealBatch()
            try store.recoverInFlight()
        }
        mayCommit.signal()
        crowd.wait()
        try device.sync(server)
        #expect(server.records[slow]?.fields["doors"]?.value == .integer(1))
        #expect(server.records[quick]?.fields["doors"]?.value == .integer(2))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T41 T97 V01 two people at full speed during a pull are never refused; all of it is kept")
    func editsDuringPull() throws {
        let ids = try (0..<2).map { _ in try device.acceptedInspectionOf(server) }
        for number in 0..<1_500 {
            let values = (0..<8).map { ("q\($0)", FieldValue.integer(Int64(number + $0))) }
            server.edit(
                RecordID("r\(number)"), Dictionary(uniqueKeysWithValues: values),
                table: number.isMultiple(of: 2) ? RecordTable.inspection : RecordTable.asset)
        }
        let page = try server.pull(device.store.pullRequest(), limit: 2_000)
        let store = device.store
        let crowd = Crowd()
        let isPulling = Flag()
        crowd.begin {
            defer { isPulling.fall() }
            _ = try store.apply(page: page)
        }
        for id in ids {
            crowd.begin {
                var count: Int64 = 0
                repeat {
                    count += 1
                    try store.set([("doors", .integer(count)), ("notes", .string("x"))], on: id)
                    // The keeper of the log comes along between two edits as well.
                    _ = try store.writer.perform { try $0.checkpoint(.passive) }
                    _ = try store.inspection(id)
                } while isPulling.isUp
                try store.set([("doors", .integer(-1))], on: id)
            }
        }
        crowd.wait()
        let rows = try device.store.outbox()
        #expect(rows.map(\.recordId).sorted() == ids.sorted())
        let check = try device.store.writer.read { database in
            try database.query("PRAGMA integrity_check") { try $0.text(0) }
        }
        #expect(check == ["ok"])
        try device.sync(server)
        #expect(
            ids.map { server.records[$0]?.fields["doors"]?.value } == [.integer(-1), .integer(-1)])
        #expect(try device.number("SELECT count(*) FROM record") == 1_502)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("T97 the log does not grow with the length of a pull")
    func boundedLog() throws {
        // Nothing was edited since: no part is put off for a person's sake.
        try device.reopen()
        var first = 0
        for part in 0..<4 {
            for number in 0..<700 {
                let values = (0..<8).map { ("q\($0)", FieldValue.integer(Int64(number + $0))) }
                server.edit(
                    RecordID("p\(part)r\(number)"), Dictionary(uniqueKeysWithValues: values))
            }
            try device.pullAll(from: server)
            let size = try device.folder.bytes(of: "home/walkdown.db-wal").count
            if part == 0 { first = size }
            #expect(2 * size <= 5 * first, "after \(part + 1) parts")
        }
        try device.expectNothingPending(server)
        try device.finish()
    }
}

/// Up until somebody lets it fall.
private final class Flag: Sendable {
    private let state = Atomic(true)

    var isUp: Bool { state.load(ordering: .acquiring) }
    func fall() { state.store(false, ordering: .releasing) }
}
