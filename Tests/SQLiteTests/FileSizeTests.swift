import Foundation
import SQLite
import Testing

@Suite("Size of the file")
struct FileSizeTests {
    @Test("It is what the disk says, with a key and without")
    func bytes() throws {
        let scratch = try Scratch()
        let plain = try scratch.open()
        try check(plain, scratch)
        guard cipher != nil else { return }
        let keyed = try Scratch()
        try check(
            Scratch.withKey { try Connection.open(keyed.path, mode: .create, key: $0) }, keyed)
    }

    private func check(_ database: Connection, _ scratch: Scratch) throws {
        try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))")
        try database.run(script: "DROP TABLE t")
        try database.checkpoint(.truncate)
        let size = try database.fileSize()
        let onDisk = try FileManager.default.attributesOfItem(atPath: scratch.path)[.size]
        #expect((onDisk as? NSNumber)?.int64Value == size.bytes)
        #expect(size.freeBytes >= 100_000 && size.freeBytes < size.bytes)
        #expect(try size.freeBytes == database.freePages() * 4096)
        try scratch.close(database)
    }
}
