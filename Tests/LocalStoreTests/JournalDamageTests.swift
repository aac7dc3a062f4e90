import Coding
import Foundation
import Replication
import SQLite
import TestSupport
import Testing
import Vault

@testable import LocalStore

@Suite("A damaged database is made anew from journal and server")
struct JournalDamageTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    /// Work in every status that waits.
    private func work() throws -> [RecordID] {
        let accepted = try device.acceptedInspectionOf(server)
        let conflicting = try device.acceptedInspectionOf(server)
        let failed = try device.acceptedInspectionOf(server)
        let deleted = try device.acceptedInspectionOf(server)
        server.edit(conflicting, ["notes": .string("theirs"), "pressure": .integer(150)])
        try device.store.set(
            [("notes", .string("mine")), ("pressure", .integer(160))], on: conflicting)
        try device.pushAll(to: server)
        try device.store.set([("doors", .integer(4))], on: failed)
        let row = try #require(try device.store.outbox().last)
        try device.store.fail(row.mutationId, error: "refused")
        try device.store.set([("doors", .integer(1))], on: accepted)
        _ = try device.store.sealBatch()
        try device.store.set([("doors", .integer(2)), ("notes", .string("later"))], on: accepted)
        let made = try device.newInspection()
        try device.store.set(
            [("health", .string("WARNING")), ("pressure", .integer(40))], on: made)
        try device.store.delete(deleted)
        let statuses = try Set(device.store.outbox().map(\.status))
        #expect(statuses == ["PENDING", "IN_FLIGHT", "CONFLICT", "IN_REVIEW", "FAILED"])
        return [accepted, conflicting, failed, made]
    }

    @Test("everything that waits comes back as it was, and the device is the same one")
    func rebuild() throws {
        let enrolment = Enrolment(
            serverURL: "https://server", deviceID: "device-1", token: "token", team: "north",
            caPem: "pem", pins: ["one", "two"], deviceKey: "seed")
        try device.store.store(enrolment)
        try device.store.setBackgroundSync(on: false)
        let records = try work()
        let rows = try device.waitingRows()
        let answers = try device.unsentAnswers()
        let conflicts = try device.store.conflicts()
        let position = try device.store.position()
        let rebuilding = try device.rebuild()
        #expect(rebuilding.restored == rows.count)
        #expect(rebuilding.lost == 0)
        #expect(rebuilding.setAside.first?.hasSuffix("/walkdown.db.damaged-1") == true)
        #expect(try device.waitingRows() == rows)
        #expect(try device.unsentAnswers() == answers)
        #expect(try device.store.conflicts() == conflicts)
        #expect(try device.store.enrolment() == enrolment)
        #expect(try !device.store.syncsInBackground(), "F15 it does not begin to send")
        let after = try device.store.position()
        #expect(after.node == position.node)
        #expect(after.baton == position.baton)
        #expect(after.serverEpoch == position.serverEpoch)
        #expect(after.lamport >= position.lamport)
        #expect(after.cursor == nil)
        #expect(try device.store.audit() == [])
        #expect(try device.store.offeredChanges() == [])
        let last = try #require(records.last)
        try device.store.set([("doors", .integer(9))], on: last)
        let newest = try #require(try device.waitingRows().last)
        #expect(newest.sequence >= rows.last?.sequence ?? 0)
        try device.finish()
    }

    @Test("a full pull brings the rest, and all of it goes to the server once")
    func pull() throws {
        let records = try work()
        try device.rebuild()
        try device.store.recoverInFlight()
        try device.pullAll(from: server)
        try device.store.store(form: TestForm.coldChain)
        try device.sync(server)
        let made = try #require(records.last)
        #expect(server.records[made]?.fields["pressure"]?.value == .integer(40))
        #expect(server.records[records[0]]?.fields["doors"]?.value == .integer(2))
        try device.store.resolve(records[1], ["notes": .mine])
        let failed = try #require(try device.store.outbox().first { $0.status == "FAILED" })
        try device.store.retry(failed.mutationId)
        try device.sync(server)
        #expect(server.records[records[1]]?.fields["notes"]?.value == .string("mine"))
        #expect(server.records[records[2]]?.fields["doors"]?.value == .integer(4))
        #expect(try device.store.outbox().map(\.status) == ["IN_REVIEW"])
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test("a rebuilding that is interrupted after the file was set aside is done by the next one")
    func interrupted() throws {
        _ = try work()
        let answers = try device.unsentAnswers()
        try device.store.close()
        let path = device.home.database
        try FileManager.default.moveItem(atPath: path, toPath: path + ".damaged-1")
        #expect(try device.damage() != nil)
        #expect(try device.rebuildClosed().setAside == [])
        #expect(try device.unsentAnswers() == answers)
        try device.rebuild()
        let names = try FileManager.default.contentsOfDirectory(atPath: device.home.directory)
        #expect(names.filter { $0.contains("damaged") }.count == 2)
        try device.finish()
    }

    @Test("an undecided last entry is offered after a rebuilding, not applied")
    func undecided() throws {
        let id = try device.newInspection()
        try device.store.set([("doors", .integer(1))], on: id)
        try device.store.set([("doors", .integer(2))], on: id)
        let image = try device.image
        try device.store.close()
        try image.write(to: device.home)
        try device.rebuildClosed()
        #expect(try device.value("doors", of: id) == .integer(1))
        let offered = try device.store.offeredChanges()
        #expect(offered.map(\.fields) == [["doors"]])
        // It was called saved: that stood in the database.
        #expect(offered.map(\.doubt) == [.unknown])
        try device.store.takeOffered()
        #expect(try device.value("doors", of: id) == .integer(2))
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test("without a readable journal nothing is touched")
    func nothingToRebuildFrom() throws {
        _ = try device.newInspection()
        try device.store.close()
        var image = try device.image
        image.removeJournal()
        try image.write(to: device.home)
        #expect(throws: StoreError.self) { try device.rebuildClosed() }
        #expect(FileManager.default.fileExists(atPath: device.home.database))
        try device.reopen(closed: true)
        try device.finish()
    }

    /// Six edits, whose last bytes in the journal are changed, and then a rebuilding.
    private func rebuildWithout(
        last count: Int, _ change: (inout UInt8) -> Void
    ) throws -> Rebuilding {
        let id = try device.newInspection()
        for number in 0..<6 { try device.store.set([("doors", .integer(Int64(number)))], on: id) }
        let lamport = try device.store.position().lamport
        try device.store.close()
        var image = try device.image
        image.change("journal/" + JournalSegment.name(1)) { bytes in
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
            for place in end - count..<end { change(&bytes[place]) }
        }
        try image.write(to: device.home)
        let rebuilding = try device.rebuildClosed()
        #expect(try device.store.position().lamport > lamport, "the counts that they used are free")
        return rebuilding
    }

    @Test("last edits of which nothing is left are told as a write that a power cut took")
    func zeroedEnd() throws {
        let rebuilding = try rebuildWithout(last: 900) { $0 = 0 }
        #expect(rebuilding.isTorn)
        try device.finish()
    }

    @Test("F01 damage that takes the last saved edits is told, and the file is kept")
    func spoiledEnd() throws {
        let rebuilding = try rebuildWithout(last: 2000) { $0 ^= 0x5A }
        #expect(rebuilding.lost > 0 && !rebuilding.isTorn)
        #expect(try device.reading().setAside == [JournalSegment.name(1) + ".damaged"])
        try device.finish()
    }

    @Test(
        "F01 a first file that is gone or empty, where no database is left, is told as a loss",
        arguments: [false, true])
    func beginningGone(isEmptied: Bool) throws {
        let first = try device.newInspection()
        try device.store.set([("doors", .integer(1))], on: first)
        let second = try device.newInspection()
        for number in 0..<30 {
            let text = String(repeating: "\(number % 10)", count: 60_000)
            try device.store.set([("notes", .string(text))], on: second)
        }
        try device.store.close()
        var image = try device.image
        #expect(image.journalNames.count > 1)
        image.remove(HomeImage.database)
        image.remove(HomeImage.log)
        let file = "journal/" + JournalSegment.name(1)
        if isEmptied {
            image.change(file) { $0 = [UInt8](repeating: 0, count: $0.count) }
        } else {
            image.remove(file)
        }
        try image.write(to: device.home)
        let rebuilding = try device.rebuildClosed()
        // Enrolment's entries, two inspections with what they begin with, one edit, and some of the notes.
        #expect(rebuilding.lost > 4)
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    /// A way to damage a home's files.
    enum Damage: CaseIterable {
        case flippedByte, flippedPage, zeroedPage, cut, emptied, removed
        case flippedLog, cutLog, removedLog, zeroedPages

        /// What plain SQLite notices as well, which has no check over each page.
        var isNoticedWithoutCipher: Bool {
            switch self {
            case .cut, .emptied, .removed, .cutLog, .removedLog: true
            default: false
            }
        }

        func apply(to image: inout HomeImage, _ random: inout SeededRandom) {
            let (seed, database, log) = (random.next(), HomeImage.database, HomeImage.log)
            var own = SeededRandom(seed: seed)
            switch self {
            case .flippedByte:
                image.change(database) { $0[own.below($0.count)] ^= UInt8(1 + own.below(255)) }
            case .flippedPage:
                image.change(database) { bytes in
                    let page = own.below(bytes.count / 4096) * 4096
                    for place in page..<page + 4096 { bytes[place] ^= 0x5A }
                }
            case .zeroedPage, .zeroedPages:
                image.change(database) { bytes in
                    for _ in 0..<(self == .zeroedPage ? 1 : 8) {
                        let page = own.below(bytes.count / 4096) * 4096
                        for place in page..<page + 4096 { bytes[place] = 0 }
                    }
                }
            case .cut: image.change(database) { $0.removeLast(1 + own.below($0.count - 1)) }
            case .emptied: image.change(database) { $0 = [] }
            case .removed: image.remove(database)
            case .flippedLog: image.change(log) { $0[own.below($0.count)] ^= 0x80 }
            case .cutLog: image.change(log) { $0.removeLast(1 + own.below($0.count - 1)) }
            case .removedLog: image.remove(log)
            }
        }
    }

    @Test(
        "F01 F03 F07 a database damaged in 100 ways: every unsent mutation comes back",
        arguments: 0..<10)
    func damaged(part: Int) throws {
        _ = try work()
        let rows = try device.waitingRows()
        let answers = try device.unsentAnswers()
        // A process that was killed leaves its log behind; the last mark is in the journal already.
        try device.store.onJournal { $0.tidy($1) }
        let image = try device.image
        let hasCipher = try Connection.cipherVersion() != nil
        let ways = Damage.allCases.filter { hasCipher || $0.isNoticedWithoutCipher }
        for round in 0..<10 {
            var random = SeededRandom(seed: UInt64(part * 10 + round))
            let damage = ways[round % ways.count]
            var damaged = image
            damage.apply(to: &damaged, &random)
            try device.store.close()
            try damaged.write(to: device.home)
            let story = "\(damage), seed \(random.seed)"
            try recover(story)
            #expect(try device.unsentAnswers() == answers, "\(story)")
            #expect(try device.waitingRows() == rows, "\(story)")
            #expect(try device.store.offeredChanges() == [], "\(story)")
            #expect(try device.store.audit() == [], "\(story)")
        }
        try device.finish()
    }

    /// As `doctor --repair` does: a sound file is opened, another one is made anew.
    private func recover(_ story: String) throws {
        if try device.damage() != nil {
            try device.rebuildClosed()
        } else {
            try device.reopen(closed: true)
        }
    }
}
