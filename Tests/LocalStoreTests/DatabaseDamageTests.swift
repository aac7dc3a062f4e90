import Foundation
import SQLite
import TestSupport
import Testing
import Vault

@testable import LocalStore

@Suite("An error of a database is its file's fault only where nothing else explains it")
struct DatabaseDamageTests {
    private let device: Device

    init() throws {
        device = try Device()
        _ = try device.newInspection()
        try device.store.close()
    }

    /// Apart from the log and its index, which come and go.
    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: device.home.directory).sorted()
            .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    private func setJournalMode(_ mode: String) throws {
        let connection = try device.openRaw()
        _ = try connection.pragma("journal_mode = \(mode)")
        try connection.close()
    }

    @Test("F01 a library that does not understand us sets no database aside")
    func library() throws {
        // A file that answers a pragma in another way, as a strange library would have it do.
        try setJournalMode("DELETE")
        #expect(throws: SQLiteError.self) { try device.damage(isLibrarySound: false) }
        #expect(try device.damage(isLibrarySound: true) != nil)
    }

    @Test("F01 the library is asked by a new database, of which nothing stays")
    func control() throws {
        let before = try names()
        #expect(try device.damage() == nil)
        try setJournalMode("DELETE")
        #expect(try device.damage() != nil)
        #expect(try names() == before)
    }

    @Test("F01 a file that is no database is to blame, whatever the library is like")
    func noDatabase() throws {
        var image = try device.image
        image.change(HomeImage.database) { bytes in
            for place in 0..<4096 { bytes[place] = 0xA5 }
        }
        image.remove(HomeImage.log)
        try image.write(to: device.home)
        #expect(try device.damage(isLibrarySound: false) != nil)
    }
}
