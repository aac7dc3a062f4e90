import Coding
import Foundation
import Replication
import SQLite
import Testing
import Vault

@testable import LocalStore

/// A home as `kill -9` left it, stored for good: what waits stands in the log of the database and not in
/// the database itself. Databases/README.md says how one comes to be.
struct HotHome {
    /// By the version of SQLCipher that wrote it: Debian 12's and Debian 13's.
    static let writers = ["3.4.1", "4.6.1"]

    let writer: String

    private var path: String { StoredDatabase.folder + "/hot-" + writer }

    /// The files, with the zeros that segments of the journal end with.
    func image() throws -> HomeImage {
        var image = try HomeImage(of: Home(path))
        for name in image.journalNames {
            image.change(name) { bytes in
                bytes += [UInt8](repeating: 0, count: JournalSegments.byteCount - bytes.count)
            }
        }
        return image
    }

    func open(_ change: (inout HomeImage) -> Void = { _ in }) throws -> Device {
        if try wantsRecording { try record() }
        var image = try image()
        change(&image)
        return try Device(key: StoredDatabase.key) { [image] in try image.write(to: $0) }
    }

    /// As `StoredDatabase.wantsRecording`, and only under the library that is to have written it.
    private var wantsRecording: Bool {
        get throws {
            guard try Connection.cipherVersion()?.hasPrefix(writer) == true else { return false }
            return ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1"
                && !FileManager.default.fileExists(atPath: path)
        }
    }

    private func record() throws {
        let device = try Device(seed: 11, key: StoredDatabase.key)
        let server = StoryServer()
        let sent = try device.acceptedInspectionOf(server)
        let edited = try device.acceptedInspectionOf(server)
        try device.store.set([("@title", .string("sent"))], on: sent)
        try device.store.set([("@title", .string("edited"))], on: edited)
        try device.sync(server)
        try device.store.writer.perform { _ = try $0.checkpoint(.truncate) }
        try device.store.set([("notes", .string("on its way"))], on: sent)
        _ = try device.store.sealBatch()
        try device.store.set([("notes", .string("typed")), ("doors", .integer(2))], on: edited)
        let new = try device.newInspection()
        try device.store.set([("@title", .string("new")), ("pressure", .double(160.5))], on: new)
        var image = try device.image
        for name in image.journalNames {
            image.change(name) { $0.removeLast($0.count - 1 - ($0.lastIndex { $0 != 0 } ?? 0)) }
        }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        try image.write(to: Home(path))
        try device.finish()
    }
}

@Suite(
    "Homes that a killed process left, by another cipher's version",
    .enabled(
        if: StoredDatabase.isReadable,
        "the stored homes are encrypted: plain SQLite (WALKDOWN_TEST_SQLITE) cannot read them"))
struct HotLogTests {
    @Test(
        "V11 R-18 a hot log that SQLCipher 3 or 4 wrote opens with all that waits, and is gone on with",
        arguments: HotHome.writers)
    func opens(writer: String) throws {
        let device = try HotHome(writer: writer).open()
        #expect(try device.store.audit() == [])
        #expect(try device.store.offeredChanges() == [])
        #expect(
            try device.store.outbox().map { "\($0.operation) \($0.status)" }
                == ["UPDATE IN_FLIGHT", "UPDATE PENDING", "INSERT PENDING"])
        #expect(try value("notes", of: "sent", on: device) == .string("on its way"))
        #expect(try value("notes", of: "edited", on: device) == .string("typed"))
        #expect(try value("doors", of: "edited", on: device) == .integer(2))
        #expect(try value("pressure", of: "new", on: device) == .double(160.5))
        try device.expectSecondCopy()

        let server = try StoryServer(holding: device)
        try device.store.set([("notes", .string("later"))], on: try id("new", on: device))
        try device.store.recoverInFlight()
        try device.sync(server)
        #expect(
            server.records[try id("new", on: device)]?.fields["notes"]?.value == .string("later"))
        #expect(
            server.records[try id("sent", on: device)]?.fields["notes"]?.value
                == .string("on its way"))
        try device.expectNothingPending(server)
        try device.reopen()
        try device.finish()
    }

    @Test(
        "V11 R-18 without its log the same home has it all from the journal",
        arguments: HotHome.writers)
    func withoutLog(writer: String) throws {
        let rows = try HotHome(writer: writer).open().waitingRows()
        #expect(rows.count == 3)
        let device = try HotHome(writer: writer).open { $0.remove(HomeImage.log) }
        #expect(try device.waitingRows().dropLast() == rows.dropLast())
        try device.store.takeOffered()
        #expect(try value("pressure", of: "new", on: device) == .double(160.5))
        #expect(try device.store.audit() == [])
        try device.finish()
    }

    @Test("V11 the stored log is hot: database alone, without log and journal, knows nothing of it")
    func isHot() throws {
        for writer in HotHome.writers {
            let device = try HotHome(writer: writer).open { image in
                image.remove(HomeImage.log)
                image.removeJournal()
            }
            #expect(try device.waitingRows() == [])
            try device.finish()
        }
    }

    private func id(_ title: String, on device: Device) throws -> RecordID {
        try #require(try device.store.inspections().first { $0.name == title }, "no \(title)").id
    }

    private func value(
        _ name: FieldName, of title: String, on device: Device
    ) throws -> FieldValue {
        try device.value(name, of: id(title, on: device))
    }
}
