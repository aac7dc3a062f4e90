import Coding
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

/// What only one backend can be made to do, by a second connection to its file.
@Suite("SQLite: when the database itself refuses")
struct FaultTests {
    private func run(_ script: String, on yard: Yard) throws {
        let connection = try Connection.open(yard.folder.file("server.db"), mode: .readWrite)
        try connection.run(script: script)
        try connection.close()
    }

    @Test("a mutation that cannot be stored is taken back alone, with its place in the feed")
    func poison() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        try device.pull()
        try run(
            """
            CREATE TRIGGER poison BEFORE INSERT ON verdict WHEN NEW.record_id = 'bad'
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """, on: yard)
        let batch = ["good", "bad", "better"].map { device.begin(RecordID($0), asset: nil) }
        let verdicts = try device.push(batch)
        #expect(verdicts.map(\.status) == [.applied, .rejected, .applied])
        #expect(verdicts[1].error?.code == "server_fault")
        try device.pull()
        #expect(device.confirmed["bad"] == nil)
        let report = try #require(device.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
        try run("DROP TRIGGER poison", on: yard)
        #expect(try device.push(batch).allSatisfy { $0.status == .applied })
    }

    @Test("a batch that fails as a whole changes nothing and is answered with the error")
    func wholeBatch() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        try device.pull()
        try run(
            """
            CREATE TRIGGER poison BEFORE UPDATE ON device
            BEGIN SELECT RAISE(ABORT, 'poison'); END
            """, on: yard)
        let mutation = device.begin("one", asset: nil)
        #expect(throws: SQLiteError.self) { try device.push(mutation) }
        try run("DROP TRIGGER poison", on: yard)
        #expect(try yard.everything()["one"] == nil)
        #expect(try device.push(mutation)[0].status == .applied)
    }

    @Test("a file that a newer server has written is refused, and left as it is")
    func newerSchema() throws {
        let yard = try Yard(.sqlite)
        try yard.store.close()
        try run(
            "INSERT INTO schema_migration (position, name) VALUES (99, 'from the future')",
            on: yard)
        #expect(throws: SQLiteError.self) {
            try Backend.sqlite.reopen(in: yard.folder, clock: yard.clock)
        }
    }
}
