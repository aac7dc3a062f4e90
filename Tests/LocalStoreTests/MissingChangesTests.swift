import Coding
import Replication
import Testing

@testable import LocalStore

/// Two things wrong at once: what one of them would have mended is nowhere any more, and somebody has to
/// be told until he says that he knows it.
@Suite("F01 an older database beside a journal of which something cannot be read")
struct MissingChangesTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// What is spoiled of the entries since the older database was copied.
    enum Spoilt: CaseIterable {
        case first, middle, last, lastAndItsMark, mark

        static let changes: [Spoilt] = [.first, .middle, .last, .lastAndItsMark]

        func includes(_ entry: UInt64, of entries: ClosedRange<UInt64>) -> Bool {
            // Three changes, and the mark of the closing.
            switch self {
            case .first: entry == entries.lowerBound
            case .middle: entry == entries.lowerBound + 1
            case .last: entry == entries.upperBound - 1
            case .lastAndItsMark: entry >= entries.upperBound - 1
            case .mark: entry == entries.upperBound
            }
        }
    }

    private func prove() throws -> RecordID {
        let id = try device.acceptedInspectionOf(server)
        try device.store.note(CycleNote(digest: .equal))
        #expect(try device.store.status().nothingUnsynced)
        return id
    }

    /// Three changes of three records, of which an older database knows nothing.
    private func images() throws -> (early: HomeImage, late: HomeImage, since: ClosedRange<UInt64>)
    {
        let ids = try (0..<3).map { _ in try device.acceptedInspectionOf(server) }
        try device.store.note(CycleNote(digest: .equal))
        try device.store.onJournal { $0.tidy($1) }
        let early = try device.image
        let before = try device.reading().chain.number
        for id in ids { try device.store.set([("doors", .integer(1))], on: id) }
        try device.store.close()
        let late = try device.image
        return (early, late, before + 1...(try device.reading().chain.number))
    }

    private func statusRead() throws -> StatusSummary {
        let reader = try device.openReader()
        let status = try reader.status()
        try reader.close()
        return status
    }

    private func expectTold(_ status: StatusSummary, _ spoilt: Spoilt) {
        #expect(status.missing > 0, "\(spoilt)")
        #expect(status.state == "attention" && !status.nothingUnsynced, "\(spoilt)")
    }

    @Test(
        "F01 what neither of them has is told until somebody says that he knows it",
        arguments: Spoilt.changes)
    func told(spoilt: Spoilt) throws {
        let (early, late, since) = try images()
        var image = late.with(databaseOf: early)
        image.spoil { since.contains($0.number) && spoilt.includes($0.number, of: since) }
        try image.write(to: device.home)
        expectTold(try statusRead(), spoilt)
        // The next process that writes makes the journal anew, and the one after it finds it whole.
        try device.reopen(closed: true)
        try device.reopen()
        try device.sync(server)
        try device.store.note(CycleNote(digest: .equal))
        expectTold(try device.store.status(), spoilt)
        // A database that is made anew from that journal tells it as well.
        try device.rebuild()
        #expect(try device.store.missingChanges() > 0)
        try device.pullAll(from: server)
        try device.store.note(CycleNote(digest: .equal))
        try device.store.leaveOffered()
        try device.store.acknowledgeMissing()
        #expect(try device.store.status().nothingUnsynced)
        try device.reopen()
        #expect(try device.store.missingChanges() == 0)
        try device.finish()
    }

    @Test("F01 beside the newest database nothing is missing", arguments: Spoilt.allCases)
    func currentDatabase(spoilt: Spoilt) throws {
        var (_, image, since) = try images()
        image.spoil { since.contains($0.number) && spoilt.includes($0.number, of: since) }
        try image.write(to: device.home)
        #expect(try statusRead().missing == 0)
        try device.reopen(closed: true)
        #expect(try device.store.missingChanges() == 0)
        try device.finish()
    }

    @Test("F01 what the older database has is not missing, whatever became of its entry")
    func older() throws {
        let id = try prove()
        let before = try device.reading().chain.number
        try device.store.set([("doors", .integer(1))], on: id)
        let early = try device.image
        for number: Int64 in 2...3 { try device.store.set([("doors", .integer(number))], on: id) }
        try device.store.close()
        var image = try device.image.with(databaseOf: early)
        image.spoil { $0.number == before + 1 }
        try image.write(to: device.home)
        #expect(try statusRead().missing == 0)
        try device.reopen(closed: true)
        #expect(try device.value("doors", of: id) == .integer(3))
        #expect(try device.store.missingChanges() == 0)
        try device.finish()
    }

    @Test(
        "F01 a rebuilding from a journal with a hole is told until somebody says that he knows it")
    func rebuilt() throws {
        var (_, image, since) = try images()
        image.spoil { $0.number == since.lowerBound + 1 }
        try image.write(to: device.home)
        #expect(try device.rebuildClosed().restored == 2)
        #expect(try device.store.missingChanges() == 1)
        #expect(try device.store.status().state == "attention")
        try device.store.acknowledgeMissing()
        #expect(try device.store.missingChanges() == 0)
        try device.finish()
    }

    @Test("F01 a sound journal beside an older database leaves nothing to tell")
    func sound() throws {
        let (early, late, _) = try images()
        try late.with(databaseOf: early).write(to: device.home)
        #expect(try statusRead().missing == 0)
        try device.reopen(closed: true)
        #expect(try device.store.missingChanges() == 0)
        #expect(try device.store.outbox().count == 3)
        try device.finish()
    }
}

@Suite("Which transactions are missing in a journal")
struct JournalNumbersTests {
    private static func transaction(_ number: Int64) -> JournalEntry {
        .transaction(
            JournalTransaction(
                number: number, isDurable: true,
                position: JournalPosition(lamport: 0, sequence: 0, serverEpoch: 1), changes: []))
    }

    private static func snapshot(_ number: Int64) -> JournalEntry {
        .snapshot(
            JournalSnapshot(
                number: number, position: JournalPosition(lamport: 0, sequence: 0, serverEpoch: 1),
                origin: JournalOrigin(metadata: [:]), mutations: [], offered: []))
    }

    private func numbers(_ entries: [JournalEntry]) -> JournalNumbers {
        entries.reduce(into: JournalNumbers()) { $0.take($1) }
    }

    @Test("a number that was left out is missing, unless the database knows it")
    func gap() {
        let story = numbers([3, 4, 8, 9].map(Self.transaction))
        #expect(story.missing(after: 2) == 3)
        #expect(story.missing(after: 6) == 1)
        #expect(story.missing(after: 7) == 0)
        #expect(story.before(after: 0) == 2)
        #expect(story.before(after: 5) == 0)
    }

    @Test("a number that comes again was rolled back, and leaves no gap")
    func rolledBack() {
        let story = numbers([1, 2, 2, 3].map(Self.transaction) + [.confirmed(2)])
        #expect(story.missing(after: 0) == 0)
        #expect(story.last == 3)
    }

    @Test("a mark tells of a transaction before it that cannot be read")
    func marked() {
        let story = numbers([Self.transaction(1), .confirmed(2)])
        #expect(story.missing(after: 1) == 1)
        #expect(story.missing(after: 2) == 0)
    }

    @Test("a snapshot stands for all before it")
    func snapshot() {
        let story = numbers([Self.transaction(1), Self.transaction(5), Self.snapshot(5)])
        #expect(story.missing(after: 0) == 0)
        #expect(story.before(after: 0) == nil)
    }
}
