import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("Bases of an older epoch of the server outlive the database")
struct JournalEpochTests {
    /// When the database was damaged.
    enum Moment: CaseIterable {
        /// Before this device has heard of the restore.
        case before
        /// The pull of the new epoch has begun and not come to the record.
        case during
        /// It has come to its end.
        case after
    }

    private let device: Device
    private let server = StoryServer()
    private let record: RecordID
    private let oldCursor: String

    /// An edit waits on a value that a backup does not have; its base is version 5 of the old epoch.
    /// Somebody else has changed the field since, as version 3 of the new one.
    init() throws {
        device = try Device()
        server.edit("first", ["doors": .integer(1)])
        record = try device.acceptedInspectionOf(server)
        server.edit(record, ["notes": .string("early")])
        let backup = server.contents
        for text in ["a", "b", "lost"] { server.edit(record, ["notes": .string(text)]) }
        try device.sync(server)
        oldCursor = try #require(try device.store.position().cursor)
        try device.store.set([("notes", .string("mine"))], on: record)
        server.restore(backup)
        server.edit(record, ["notes": .string("theirs")])
    }

    private func hear(until moment: Moment) throws {
        switch moment {
        case .before: break
        case .during:
            let page = try device.nextPage(from: server, limit: 1)
            try device.store.apply(page: page)
            #expect(page.hasMore)
        case .after: try device.pullAll(from: server)
        }
    }

    /// Nothing was overwritten: a person decides, on what both sides have.
    private func expectAsked() throws {
        #expect(server.records[record]?.fields["notes"]?.value == .string("theirs"))
        try device.sync(server)
        #expect(server.records[record]?.fields["notes"]?.value == .string("theirs"))
        #expect(try device.value("notes", of: record) == .string("mine"))
        #expect(try device.store.conflicts().map(\.theirs) == [.string("theirs")])
        try device.store.resolve(record, ["notes": .mine])
        for _ in 1...2 { try device.sync(server) }
        #expect(server.records[record]?.fields["notes"]?.value == .string("mine"))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "T86 F01 an edit on an old base is sent with the old cursor after a repair",
        arguments: Moment.allCases)
    func repaired(moment: Moment) throws {
        try hear(until: moment)
        let rows = try device.waitingRows()
        #expect(rows.first?.fields["notes"]?.isOldBase == (moment != .before))
        try device.rebuild()
        #expect(try device.waitingRows() == rows)
        #expect(try device.store.audit() == [])
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.pullPosition == oldCursor)
        try device.store.apply(server.push(batch), to: batch)
        try expectAsked()
    }

    @Test("T86 F01 after a repair the pull comes first, and the old cursor is still known")
    func pulledFirst() throws {
        try device.rebuild()
        try device.pullAll(from: server)
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.pullPosition == oldCursor)
        try device.store.apply(server.push(batch), to: batch)
        try expectAsked()
    }

    @Test("T86 F01 another edit of the record that stands in for itself is not of the new epoch")
    func laterEdit() throws {
        try hear(until: .after)
        try device.rebuild()
        server.edit(record, ["facility": .string("theirs")])
        try device.store.set([("facility", .string("mine"))], on: record)
        try device.pushAll(to: server)
        #expect(server.records[record]?.fields["facility"]?.value == .string("theirs"))
        try device.pullAll(from: server)
        #expect(Set(try device.store.conflicts().map(\.column)) == ["facility", "notes"])
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test("T86 where no old cursor is known any more, an old base counts as never seen")
    func unknownCursor() throws {
        try hear(until: .after)
        try device.store.edit { try $0.setMetadata("old_cursor", .null) }
        try device.rebuild()
        let batch = try #require(try device.store.sealBatch())
        #expect(batch.pullPosition == Connection.unknownCursor)
        try device.store.apply(server.push(batch), to: batch)
        try expectAsked()
    }

    @Test("T86 F03 a database put back from before the restore takes old bases from the journal")
    func olderDatabase() throws {
        try hear(until: .before)
        let early = try device.image
        try hear(until: .after)
        try device.store.set([("doors", .integer(2))], on: record)
        try device.store.close()
        try device.image.with(databaseOf: early).write(to: device.home)
        try device.reopen(closed: true)
        #expect(try device.waitingRows().contains { $0.fields["notes"]?.isOldBase == true })
        try device.pushAll(to: server)
        try expectAsked()
    }
}
