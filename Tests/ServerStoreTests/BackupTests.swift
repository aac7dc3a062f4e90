import Coding
import Dispatch
import Foundation
import Replication
import SQLite
import ServerStore
import TestSupport
import Testing

@Suite("SQLite: backups")
struct BackupTests {
    @Test("V13 a backup is one file that holds what was committed, also beside a writer")
    func consistent() throws {
        let yard = try Yard(.sqlite)
        let device = try yard.enrol("a")
        let writer = Writer(store: yard.store, device: device.device)
        let requests = (0..<200).map { number in
            device.request([device.begin(RecordID("i\(number)"), asset: nil)])
        }
        let done = DispatchGroup()
        DispatchQueue(label: "writer").async(group: done) { writer.push(requests) }
        var files: [String] = []
        repeat {
            files.append(try yard.backUp(as: "\(files.count).db"))
        } while done.wait(timeout: .now()) != .success && files.count < 50
        done.wait()
        for file in files {
            #expect(!FileManager.default.fileExists(atPath: file + "-wal"))
            let copy = try Yard(.sqlite, copying: file)
            let records = try copy.everything()
            // All of a prefix, and digests that agree with it: one instant.
            let begun = records.keys.filter { $0.rawValue.hasPrefix("i") }.count
            #expect((0..<begun).allSatisfy { records[RecordID("i\($0)")] != nil })
            let witness = try copy.enrol("digest")
            try witness.pull()
            let report = try #require(witness.lastPage?.digest)
            #expect(report.sites.filter { $0.value != SiteDigest() } == witness.digests)
        }
    }

    @Test("a backup writes over nothing, and a file that is none is refused")
    func refused() throws {
        let yard = try Yard(.sqlite)
        _ = try yard.backUp()
        #expect(throws: SQLiteError.self) { try yard.backUp() }
        let environment = SQLiteStore.Environment(now: yard.clock.reading)
        let other = yard.folder.file("other.db")
        try Connection.open(other, mode: .create).close()
        let foreign = refusal {
            _ = try SQLiteStore.prepareRestored(
                other, named: "other", replacing: nil, environment)
        }
        #expect(foreign == .notAStore)
        let text = try yard.folder.write(String(repeating: "no database ", count: 100), to: "t")
        #expect(throws: ServerStoreError.self) {
            try SQLiteStore.prepareRestored(text, named: "text", replacing: nil, environment)
        }
        #expect(throws: SQLiteError.self) {
            try SQLiteStore.backUp(yard.folder.file("nothing"), to: yard.folder.file("x"))
        }
        #expect(try yard.folder.names().contains("x") == false)
    }

    @Test("a restore lets no revoked device in again, and makes no used code good")
    func doors() throws {
        let yard = try Yard(.sqlite)
        let (kept, lost) = (try yard.enrol("kept"), try yard.enrol("lost"))
        let secret = [UInt8](repeating: 200, count: 32)
        _ = try yard.store.issueCode(
            team: "north", deviceName: nil, secretHash: secret, validFor: 86_400_000)
        let backup = try yard.backUp()
        func use() throws {
            _ = try yard.store.enrol(
                Enrolment(
                    secretHash: secret, deviceName: "late", node: "node-late", publicKey: "",
                    tokenHash: [200]))
        }
        try use()
        try yard.store.revokeDevice(id: lost.device.id)
        let doors = try SQLiteStore.closedDoors(of: yard.folder.file("server.db"))
        try yard.restore(backup, keeping: doors)
        let states = try yard.store.devices().map { [$0.name, $0.state.rawValue] }
        #expect(states == [["kept", "active"], ["lost", "revoked"]])
        #expect(refusal { try lost.push([]) } == .unknownDevice)
        #expect(refusal(use) == .codeUsed)
        kept.cursor = nil
        try kept.pull()
    }

    @Test(
        "T86 a device that enrolled after the backup is known to the restored server, and loses nothing"
    )
    func laterDevices() throws {
        let yard = try Yard(.sqlite)
        let id = try yard.assign()
        let old = try yard.enrol("old")
        let backup = try yard.backUp()
        _ = try yard.store.addTeam(named: "west")
        let late = try yard.enrol("late")
        let western = try yard.enrol("western", team: "west")
        let thief = try yard.enrol("thief")
        try yard.store.revokeDevice(id: thief.device.id)
        old.takeNewNode("node-old-2")
        try old.push([])
        try late.pull()
        let answered = late.change(id, ["notes": .string("acknowledged")])
        try late.push(answered)
        let later = try SQLiteStore.laterDevices(of: yard.folder.file("server.db"))

        let report = try yard.restore(backup, adopting: later)
        #expect(report.laterDevices.sorted() == ["late", "thief", "western"])
        let states = try yard.store.devices().map { [$0.name, $0.team.name, $0.state.rawValue] }
        #expect(
            states == [
                ["late", "north", "active"], ["old", "north", "active"],
                ["thief", "north", "revoked"], ["western", "west", "active"],
            ])
        let known = try yard.store.device(
            tokenHash: try #require(try yard.store.tokenHash(ofDevice: late.device.id)),
            node: late.node)
        #expect(known?.id == late.device.id)
        #expect(refusal { try thief.push([]) } == .unknownDevice)
        #expect(refusal { try late.copy(speakingAs: "node-old-2").push([]) } == .wrongNode)
        // It offers again what the backup lacks.
        #expect(try late.push(answered).map(\.status) == [.applied])
        late.cursor = nil
        try late.pull()
        #expect(late.value(id, "notes") == .string("acknowledged"))
        try western.push([])
    }

    @Test(
        "a device of a team that was made anew belongs to the one that the backup has by its name")
    func laterTeam() throws {
        let yard = try Yard(.sqlite)
        let backup = try yard.backUp()
        _ = try yard.store.addTeam(named: "west")
        _ = try yard.enrol("western", team: "west")
        let later = try SQLiteStore.laterDevices(of: yard.folder.file("server.db"))
        try yard.restore(backup)
        _ = try yard.store.addTeam(named: "west")
        let again = try yard.backUp(as: "again.db")
        #expect(try yard.restore(again, adopting: later).laterDevices == ["western"])
        #expect(try yard.store.teams().map(\.name) == ["north", "south", "west"])
        #expect(try yard.store.devices().map(\.team.name) == ["west"])
        // A second time there is nobody left to take over.
        let once = try yard.backUp(as: "once.db")
        #expect(try yard.restore(once, adopting: later).laterDevices == [])
    }

    @Test("an epoch is newer than that of the database it takes the place of")
    func above() throws {
        let yard = try Yard(.sqlite)
        let file = try yard.backUp()
        let far = try yard.store.serverEpoch() + 1_000_000
        let report = try SQLiteStore.prepareRestored(
            file, named: "backup", replacing: far, SQLiteStore.Environment(now: yard.clock.reading))
        #expect(report.epoch == far + 1)
    }
}

/// Pushes one batch after the other from a thread of its own.
private final class Writer: Sendable {
    let store: any Store
    let device: Device

    init(store: any Store, device: Device) {
        self.store = store
        self.device = device
    }

    func push(_ requests: [PushRequest]) {
        var baton: String?
        for var request in requests {
            request.baton = baton
            do {
                baton = try store.push(request, from: device).baton
            } catch {
                Issue.record(error)
            }
        }
    }
}
