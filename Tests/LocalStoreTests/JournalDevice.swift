import Foundation
import Glibc
import Replication
import SQLite
import Synchronization
import Testing
import Vault

@testable import LocalStore

extension JournalCipher {
    /// For a test that opens the same journal again and again.
    var withoutErasing: JournalCipher {
        JournalCipher(seal: seal, unseal: unseal)
    }
}

extension Device {
    func reading() throws -> JournalReading {
        try JournalReading(journal.folder, by: journal.cipher)
    }

    /// What the journal holds of the queue; the last entry counts if the database knows it.
    func secondCopy() throws -> [JournalledMutation] {
        let number = try store.writer.perform { try $0.transactionNumber() }
        var replay = try reading().replay
        replay.decide(committed: replay.undecided.map { $0.number <= number } ?? false)
        return replay.standing
    }

    func waitingRows() throws -> [JournalledMutation] {
        try store.writer.perform { try JournalledRows($0).waiting() }
    }

    /// The journal holds every row that waits, as it stands, and no other.
    func expectSecondCopy() throws {
        #expect(try secondCopy() == waitingRows())
        #expect(try reading().isSound)
    }

    /// Closes the store, sets the database aside and makes it anew from the journal.
    @discardableResult
    func rebuild() throws -> Rebuilding {
        try store.close()
        return try rebuildClosed()
    }

    /// The answers that wait, as a person sees them: record, field and value.
    func unsentAnswers() throws -> [String] {
        try store.writer.read { database in
            try database.query(
                """
                SELECT record_id, name, value FROM __sync_waiting AS waiting
                WHERE seq_id = (
                    SELECT max(seq_id) FROM __sync_waiting AS other
                    WHERE other.record_id = waiting.record_id AND other.name = waiting.name)
                ORDER BY record_id, name
                """
            ) { "\(try $0.text(0)) \(try $0.text(1)) \($0.value(2).plain)" }
        }
    }
}

/// What was noted on another queue, in its order.
final class Noted<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func note(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
}

/// A journal's folder in memory that does what a test says before each call.
final class ScriptedFolder: JournalFolder {
    enum Call: Equatable {
        case make, write, synchronize, rename, remove, read
    }

    private final class File: JournalFile {
        private let name: String
        private let folder: ScriptedFolder

        init(_ name: String, in folder: ScriptedFolder) {
            self.name = name
            self.folder = folder
        }

        func write(_ bytes: [UInt8], at start: Int) throws {
            try folder.consult(.write)
            folder.files.withLock {
                $0[name]?.replaceSubrange(start..<start + bytes.count, with: bytes)
            }
        }

        func synchronize() throws { try folder.consult(.synchronize) }
    }

    private let files = Mutex<[String: [UInt8]]>([:])
    private let script = Mutex<@Sendable (Call) throws -> Void>({ _ in })
    private let calls = Mutex<[Call]>([])

    /// From now on; throw to let a call fail.
    func before(_ body: @escaping @Sendable (Call) throws -> Void) { script.withLock { $0 = body } }

    func fail(_ call: Call, with code: Int32) {
        before { [call] next in
            guard next == call else { return }
            throw JournalFault.system(operation: "\(call)", path: "journal", code: code)
        }
    }

    func work() { before { _ in } }

    /// The calls since the last question.
    func takeCalls() -> [Call] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    private func consult(_ call: Call) throws {
        calls.withLock { $0.append(call) }
        let script = script.withLock { $0 }
        try script(call)
    }

    func change(_ name: String, _ body: (inout [UInt8]) -> Void) {
        files.withLock { files in
            guard var bytes = files[name] else { return }
            body(&bytes)
            files[name] = bytes
        }
    }

    func names() throws -> [String] { files.withLock { $0.keys.sorted() } }

    func contents(of name: String) throws -> [UInt8] {
        try consult(.read)
        return files.withLock { $0[name] ?? [] }
    }

    func make(_ name: String, byteCount: Int) throws -> any JournalFile {
        try consult(.make)
        files.withLock { $0[name] = [UInt8](repeating: 0, count: byteCount) }
        return File(name, in: self)
    }

    func reopen(_ name: String) throws -> any JournalFile { File(name, in: self) }

    /// As on a disk, the name has changed when making it durable fails.
    func rename(_ name: String, to other: String) throws {
        try files.withLock { files in
            guard let bytes = files.removeValue(forKey: name) else {
                throw JournalFault.system(operation: "rename", path: name, code: ENOENT)
            }
            files[other] = bytes
        }
        try consult(.rename)
    }

    func remove(_ name: String) throws {
        try consult(.remove)
        files.withLock { $0[name] = nil }
    }
}

/// The files of a home as a power cut, a thief or a backup would find them.
struct HomeImage {
    private(set) var files: [String: [UInt8]] = [:]

    static let database = "walkdown.db"
    static let log = "walkdown.db-wal"

    /// The database with its log, and the journal.
    init(of home: Home) throws {
        for name in [Self.database, Self.log] { read(name, in: home) }
        let journal = DiskJournalFolder(path: home.journal)
        for name in try journal.names() { read("journal/" + name, in: home) }
    }

    private mutating func read(_ name: String, in home: Home) {
        guard let data = FileManager.default.contents(atPath: home.directory + "/" + name) else {
            return
        }
        files[name] = [UInt8](data)
    }

    /// The database of another moment with this journal.
    func with(databaseOf other: HomeImage) -> HomeImage {
        var image = self
        for name in [Self.database, Self.log] { image.files[name] = other.files[name] }
        return image
    }

    mutating func change(_ name: String, _ body: (inout [UInt8]) -> Void) {
        guard var bytes = files[name] else { return }
        body(&bytes)
        files[name] = bytes
    }

    /// Spoils the entries of the journal that are chosen, each in the middle.
    mutating func spoil(where isChosen: (JournalFrame) -> Bool) {
        for name in journalNames {
            change(name) { bytes in
                for (start, frame) in JournalFrame.all(in: bytes) where isChosen(frame) {
                    bytes[start + frame.byteCount / 2] ^= 1
                }
            }
        }
    }

    mutating func remove(_ name: String) { files[name] = nil }

    mutating func removeJournal() { files = files.filter { !$0.key.hasPrefix("journal/") } }

    var journalNames: [String] { files.keys.filter { $0.hasPrefix("journal/") }.sorted() }

    func write(to home: Home) throws {
        let manager = FileManager.default
        for name in [Self.database, Self.log, Self.database + "-shm", "journal"] {
            let path = home.directory + "/" + name
            if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
        }
        try manager.createDirectory(atPath: home.journal, withIntermediateDirectories: true)
        for (name, bytes) in files {
            let path = home.directory + "/" + name
            #expect(manager.createFile(atPath: path, contents: Data(bytes)))
        }
    }
}

extension JournalFrame {
    /// The frames of a sound segment, and where they begin.
    static func all(in segment: [UInt8]) -> [(start: Int, frame: JournalFrame)] {
        var frames: [(start: Int, frame: JournalFrame)] = []
        var place = 0
        while let frame = JournalFrame(in: segment, at: place) {
            frames.append((place, frame))
            place += frame.byteCount
        }
        return frames
    }
}

extension Device {
    var image: HomeImage { get throws { try HomeImage(of: home) } }

    /// Ends the process and starts the next one on these files.
    func restart(on image: HomeImage) throws {
        try store.close()
        try image.write(to: home)
        try reopen(closed: true)
    }
}
