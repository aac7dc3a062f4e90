import Coding
import Dispatch
import Replication
import SQLite
import TestSupport
import Testing

@testable import ServerStore

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

    @Test("a commit that fails is answered as failed, and the next one begins from what stands")
    func failedCommit() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        try device.pull()
        let before = try #require(device.cursor)
        // Every statement of the transaction succeeds; what it leaves behind, COMMIT refuses.
        try run(
            """
            CREATE TABLE nobody (id INTEGER PRIMARY KEY);
            CREATE TABLE orphan (id INTEGER REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED);
            CREATE TRIGGER poison AFTER UPDATE ON device
            BEGIN INSERT INTO orphan (id) VALUES (1); END
            """, on: yard)
        let mutation = device.begin("one", asset: nil)
        for _ in 0..<2 { #expect(throws: SQLiteError.self) { try device.push(mutation) } }
        // Also says that the writer holds no transaction: this connection gets the lock.
        try run("DROP TRIGGER poison", on: yard)
        try device.pull()
        #expect(device.confirmed["one"] == nil)
        #expect(device.cursor == before, "no place in the feed was given away")
        #expect(try device.push(mutation).map(\.status) == [.applied])
        try device.pull()
        let report = try #require(device.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
        #expect(device.confirmed["one"]?.version == 1)
    }

    @Test("the look-up of a token waits for no reader, and for no office")
    func door() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a").device
        let store = try #require(yard.store as? SQLiteStore)
        let (held, freed) = (DispatchGroup(), DispatchSemaphore(value: 0))
        let begun = DispatchSemaphore(value: 0)
        let hold: @Sendable (Connection) throws -> Void = { _ in
            begun.signal()
            freed.wait()
        }
        // As many as there are readers, and an export.
        for index in 0..<3 {
            DispatchQueue(label: "holder").async(group: held) {
                do {
                    try index < 2 ? store.read(hold) : store.readForOffice(hold)
                } catch {
                    Issue.record(error)
                }
            }
        }
        for _ in 0..<3 { #expect(begun.wait(timeout: .now() + 10) == .success) }
        let answered = DispatchSemaphore(value: 0)
        DispatchQueue(label: "door").async(group: held) {
            let found = Result {
                try store.device(tokenHash: [UInt8](repeating: 1, count: 31), node: nil)
            }
            #expect(throws: Never.self) { try found.get() }
            #expect((try? found.get())??.id == device.id)
            answered.signal()
        }
        #expect(answered.wait(timeout: .now() + 10) == .success)
        for _ in 0..<3 { freed.signal() }
        held.wait()
    }

    @Test("a call after the end fails; it does not bring the program down")
    func afterClose() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        try yard.store.close()
        #expect(throws: SQLiteError.self) { try device.push(device.begin("one", asset: nil)) }
        #expect(throws: SQLiteError.self) { try device.pullPage() }
        #expect(throws: SQLiteError.self) { try yard.store.census() }
        #expect(throws: SQLiteError.self) { try yard.store.device(tokenHash: [1], node: nil) }
        #expect(throws: SQLiteError.self) { try yard.store.addTeam(named: "west") }
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
