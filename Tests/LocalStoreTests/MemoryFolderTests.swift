import Foundation
import TestSupport
import Testing

@testable import LocalStore

@Suite("Folders in memory for a database that is read")
struct MemoryFolderTests {
    private let memory: TemporaryFolder

    init() throws { memory = try TemporaryFolder("memory") }

    private func leave(_ name: String, _ files: [String] = ["walkdown.db"]) throws {
        try FileManager.default.createDirectory(
            atPath: memory.file(name), withIntermediateDirectories: false)
        for file in files { _ = try memory.write("left", to: name + "/" + file) }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: memory.path).sorted()
    }

    @Test("what a killed process has left goes before the next folder is made")
    func left() throws {
        try leave(
            "walkdown-read-aaaaaa",
            ["walkdown.db", "walkdown.db-wal", "walkdown.db-shm", "walkdown.db-journal"])
        try leave("walkdown-read-bbbbbb", [])
        let folder = try #require(MemoryFolder.make(in: memory.path))
        #expect(try names().map { memory.file($0) } == [folder.path])
        folder.remove()
        #expect(try names() == [])
    }

    @Test("what another process reads from stays, until that has ended")
    func inUse() throws {
        var first = MemoryFolder.make(in: memory.path)
        let path = try #require(first?.path)
        #expect(FileManager.default.createFile(atPath: path + "/walkdown.db", contents: nil))
        let second = try #require(MemoryFolder.make(in: memory.path))
        #expect(access(path + "/walkdown.db", F_OK) == 0)
        second.remove()
        // As the kernel lets go of it when a process ends, however it ends.
        first = nil
        let third = try #require(MemoryFolder.make(in: memory.path))
        #expect(access(path, F_OK) != 0)
        third.remove()
    }

    @Test("what is nobody's copy of a database stays")
    func others() throws {
        try leave("walkdown-sim", ["walkdown.db"])
        try leave("walkdown-read-cccccc", ["other"])
        let link = memory.file("walkdown-read-dddddd")
        #expect(symlink(memory.file("walkdown-sim"), link) == 0)
        let folder = try #require(MemoryFolder.make(in: memory.path))
        folder.remove()
        #expect(access(memory.file("walkdown-sim/walkdown.db"), F_OK) == 0)
        #expect(access(memory.file("walkdown-read-cccccc/other"), F_OK) == 0)
        #expect(try names().contains("walkdown-read-dddddd"))
    }

    @Test("without such memory there is none")
    func missing() {
        #expect(MemoryFolder.make(in: memory.file("nowhere")) == nil)
    }
}
