import Coding
import Crypto
import Foundation
import Replication
import SQLite
import Testing
import Vault

@testable import LocalStore

/// A database of a released schema as it lies in `Databases`, with work that waits in every state.
/// Databases/README.md says how one comes to be and why none is ever rewritten.
struct StoredDatabase {
    /// A new schema gets a file of its own behind these.
    static let names = ["schema-6.db"]

    let name: String

    var path: String { Self.folder + "/" + name }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Databases").path

    /// In every copy of this repository: it protects nothing.
    static var key: SecretBytes {
        var bytes = (0..<32).map { UInt8($0) }
        return SecretBytes(moving: &bytes)
    }

    /// Whether this process can read them at all.
    static let isReadable: Bool = {
        do { return try Connection.cipherVersion() != nil } catch { return false }
    }()

    /// Once in the life of a release: with WALKDOWN_RECORD=1, and only where there is no file.
    var wantsRecording: Bool {
        ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1"
            && !FileManager.default.fileExists(atPath: path)
    }

    func open() throws -> Device {
        if wantsRecording { try record() }
        return try Device(copyOf: path, key: Self.key)
    }

    /// Writes the file with this program, by one story of a device and a server.
    private func record() throws {
        let device = try Device(seed: 6, key: Self.key)
        let server = StoryServer()
        try StoredStory.play(on: device, with: server)
        #expect(try device.store.audit() == [])
        // The log goes into the file, which has to stand alone.
        try device.store.writer.perform { _ = try $0.checkpoint(.truncate) }
        try device.store.close()
        try FileManager.default.copyItem(atPath: device.home.database, toPath: path)
    }
}

/// One mutation in each state, each on an inspection of its own, told apart by its title.
enum StoredStory {
    static func play(on device: Device, with server: StoryServer) throws {
        let store = device.store
        let names = ["settled", "asked", "reviewed", "refused", "deleted", "underway"]
        var ids: [String: RecordID] = [:]
        for name in names {
            let id = try device.newInspection()
            try store.set(
                [
                    ("@title", .string(name)), ("notes", .string("first")), ("doors", .integer(1)),
                ], on: id)
            ids[name] = id
        }
        try device.sync(server)
        let id = { try #require(ids[$0]) }
        try askAndReview(try id("asked"), try id("reviewed"), on: device, with: server)
        server.delete(try id("deleted"))
        try store.set([("notes", .string("refused words"))], on: id("refused"))
        let refused = try #require(store.outbox().last { $0.status == "PENDING" })
        try store.fail(refused.mutationId, error: "bad_value: refused")
        try device.pullAll(from: server)
        // A batch was on its way when the battery went.
        try store.set([("notes", .string("sent, no answer"))], on: id("underway"))
        _ = try store.sealBatch()
        try store.set([("doors", .integer(2))], on: id("underway"))
        let new = try device.newInspection()
        try store.set([("@title", .string("new")), ("pressure", .double(160.5))], on: new)
        try store.saveDraft("half a wor", of: "notes", in: new)
    }

    private static func askAndReview(
        _ asked: RecordID, _ reviewed: RecordID, on device: Device, with server: StoryServer
    ) throws {
        server.edit(asked, ["notes": .string("theirs")])
        try device.store.set([("notes", .string("mine"))], on: asked)
        try device.store.set([("pressure", .integer(140))], on: reviewed)
        try device.pushAll(to: server)
        server.edit(reviewed, ["pressure": .integer(150)])
        try device.store.set([("pressure", .integer(160))], on: reviewed)
        try device.pushAll(to: server)
    }
}
