import Coding
import Foundation
import Replication
import SQLite
import Testing
import Vault

@testable import LocalStore

/// No room is left: what cannot be stored is refused whole, and what was stored stays.
struct DiskFullTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// Lets the file grow by so many pages and no more; nil for as many as it wants.
    private func leaveRoom(for pages: Int64?) throws {
        let size = try device.number("PRAGMA page_count") ?? 0
        let limit = pages.map { size + $0 } ?? 1_000_000
        try device.store.writer.perform {
            try $0.run(script: "PRAGMA max_page_count = \(limit)")
        }
    }

    /// - Returns: false where there was no room.
    private func tries(_ step: () throws -> Void) throws -> Bool {
        do {
            try step()
            return true
        } catch let error as StoreError {
            #expect(error.isDiskFull, "\(error)")
            return false
        }
    }

    private func text(_ number: Int, size: Int = 30_000) -> FieldValue {
        .string(String(repeating: "x", count: size) + "\(number)")
    }

    @Test("T98 a disk that is full at any page: no file goes, no row of the queue, no answer")
    func atAnyPage() throws {
        var ids = [try device.acceptedInspectionOf(server)]
        var stored: [RecordID: FieldValue] = [:]
        var refusals = 0
        for room in 0..<36 {
            server.edit(RecordID("r\(room)"), ["a": text(room), "b": text(-room)])
            try leaveRoom(for: Int64(room))
            let before = try Set(device.store.outbox(all: true).map(\.mutationId))
            let id = ids[room % ids.count]
            let steps: [() throws -> Void] = [
                {
                    try device.store.set([("notes", text(room))], on: id)
                    stored[id] = text(room)
                },
                { ids.append(try device.newInspection()) },
                { try device.store.recoverInFlight() },
                { try device.sync(server) },
            ]
            for step in steps {
                if try !tries(step) { refusals += 1 }
            }
            let after = try Set(device.store.outbox(all: true).map(\.mutationId))
            #expect(before.subtracting(after) == [], "room \(room)")
            #expect(try device.store.audit() == [], "room \(room)")
            for (id, value) in stored {
                #expect(try device.value("notes", of: id) == value, "room \(room)")
            }
            #expect(FileManager.default.fileExists(atPath: device.home.database))
        }
        #expect(refusals >= 10, "only \(refusals) steps met a full disk")
        try leaveRoom(for: nil)
        try device.store.recoverInFlight()
        try device.sync(server)
        for (id, value) in stored {
            #expect(server.records[id]?.fields["notes"]?.value == value)
        }
        try device.expectNothingPending(server)
        try device.reopen()
        try device.finish()
    }

    @Test("T61 a pull that finds no room moves no cursor and puts nothing into the queue")
    func pull() throws {
        let id = try device.acceptedInspectionOf(server)
        try device.store.set([("notes", .string("mine"))], on: id)
        let (queue, cursor) = (try device.queue(id), try device.store.position().cursor)
        server.edit(id, ["facility": .string("theirs")])
        for number in 0..<100 {
            let value = text(number, size: 3_000)
            server.edit(RecordID("r\(number)"), ["a": value, "b": value, "c": value])
        }
        try leaveRoom(for: 40)
        #expect(try !tries { try device.pullAll(from: server) })
        #expect(try device.store.position().cursor == cursor)
        #expect(try device.queue(id) == queue)
        #expect(try device.store.outbox().count == 1)
        #expect(try device.value("notes", of: id) == .string("mine"))
        #expect(try device.store.audit() == [])
        try leaveRoom(for: nil)
        try device.sync(server)
        #expect(server.records[id]?.fields["notes"]?.value == .string("mine"))
        #expect(try device.value("facility", of: id) == .string("theirs"))
        #expect(try device.number("SELECT count(*) FROM record") == 101)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "F07 stopped at any write of a save, every field holds its own old value or its own new one"
    )
    func saveStopped() throws {
        let id = try device.acceptedInspectionOf(server)
        let names: [FieldName] = ["facility", "notes", "@title", "@comment"]
        func answers(_ round: Int) -> [(FieldName, FieldValue)] {
            names.map { ($0, .string("\($0) \(round)")) }
        }
        try device.store.set(answers(0), on: id)
        try device.faultAfterSavedWrites()
        var limit = 0
        while try !stored(answers(1), on: id) {
            try device.allowWrites(limit)
            // A write that fails, and a commit that never comes, leave the same.
            do {
                try device.store.set(answers(1), on: id)
            } catch StoreError.storage {
                for (name, value) in answers(0) {
                    #expect(try device.value(name, of: id) == value, "after \(limit) writes")
                }
            }
            try device.allowWrites(.max)
            #expect(try device.store.audit() == [], "after \(limit) writes")
            limit += 1
        }
        #expect(limit > 10)
        try device.sync(server)
        for (name, value) in answers(1) {
            #expect(server.records[id]?.fields[name]?.value == value)
        }
        try device.expectNothingPending(server)
        try device.finish()
    }

    private func stored(_ answers: [(FieldName, FieldValue)], on id: RecordID) throws -> Bool {
        try answers.allSatisfy { try device.value($0.0, of: id) == $0.1 }
    }
}

extension Device {
    /// As `faultAfterWrites`, for the tables that a save writes.
    fileprivate func faultAfterSavedWrites() throws {
        let tables = ["field", "__sync_outbox", "__sync_outbox_field", "__sync_metadata"]
        let triggers = tables.flatMap { table in
            ["INSERT", "UPDATE"].map { event in
                """
                CREATE TEMP TRIGGER fault_\(table)_\(event) BEFORE \(event) ON \(table) BEGIN
                    SELECT raise(ABORT, 'disk')
                    WHERE (SELECT n FROM writes) >= (SELECT max_n FROM writes);
                    UPDATE writes SET n = n + 1;
                END;
                """
            }
        }
        try store.writer.perform { database in
            try database.run(
                script: "CREATE TABLE writes (n INTEGER, max_n INTEGER);"
                    + "INSERT INTO writes VALUES (0, 0);" + triggers.joined())
        }
    }
}
