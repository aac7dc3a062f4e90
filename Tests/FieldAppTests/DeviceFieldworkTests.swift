import Coding
import Crypto
import FieldApp
import Forms
import Inspections
import LocalStore
import Replication
import Synchronization
import TerminalKit
import TestSupport
import Testing
import Vault

/// The screen's work on a real vault and store, in a home of its own.
@Suite("Device fieldwork")
struct DeviceFieldworkTests {
    private static let pin = "246810"

    /// An enrolled home with a form and one inspection; nothing is ever sent.
    private final class Device {
        let folder: TemporaryFolder
        let work: DeviceFieldwork
        let inspection: RecordID
        let news = News()
        /// What waiting after wrong PINs is counted on.
        let boot = FixedClock(at: 1_000)

        init(
            form: FormDefinition? = nil, syncsInBackground: Bool = true,
            strange: [String: JSON] = [:]
        ) throws {
            folder = try TemporaryFolder("fieldwork")
            let home = Home(folder.file("home"))
            let lease = try HomeLease.acquire(home)
            let sources = StoreSources(
                now: { FixedClock.mondayMorning },
                newID: { UUIDText.version4(random: Crypto.random(16)) })
            let pin = DeviceFieldworkTests.secret(DeviceFieldworkTests.pin)
            defer { pin.erase() }
            let vault = try NewVault.begin(
                lease: lease, deviceId: "device", pin: pin,
                cost: Argon2id.Cost(passes: 1, memory: 8 << 10))
            let key = vault.dataKey
            defer { key.erase() }
            let store = try DeviceStore.create(
                home: home, key: key,
                device: DeviceIdentity(deviceID: "device", node: NodeID("node")), lease: lease,
                sources: sources)
            let form = try form ?? Story.form()
            try store.store(form: form)
            inspection = try store.createInspection(
                form: form.id, version: form.version, asset: nil, title: "FRZ-1")
            if !strange.isEmpty { _ = try store.apply(page: Self.page(strange)) }
            if !syncsInBackground { try store.setBackgroundSync(on: false) }
            try store.close()
            try vault.commit()
            work = DeviceFieldwork(
                home: home, lease: lease, sources: sources,
                bootNow: { [boot] in BootInstant(boot: [1], milliseconds: boot.now) },
                post: { [news] in news.add($0) })
        }

        deinit { work.lock() }

        static let strange = RecordID("1a5b0000-0000-4000-8000-000000000002")

        /// An inspection of a form that this device does not have.
        private static func page(_ answers: [String: JSON]) throws -> PullResponse {
            let fields: [String: JSON] = [
                "@form": "from_the_future", "@formVersion": "9", "@state": "inProgress",
            ]
            let registers = fields.merging(answers) { $1 }.mapValues { value -> JSON in
                ["value": value, "lamport": 1, "node": "portal:office", "version": 1]
            }
            return try PullResponse(json: [
                "deltaRecords": [
                    [
                        "tableName": "inspection", "recordId": .string(strange.rawValue),
                        "version": 1, "isDeleted": false, "fields": .object(registers),
                        "updatedAtUtc": "2026-03-02T08:00:00.000Z",
                    ]
                ], "nextCursor": "c", "hasMore": false, "serverLamport": 1, "serverEpoch": 1,
            ])
        }
    }

    /// What the worker told the screen.
    private final class News: Sendable {
        private let heard = Mutex<[SyncNews]>([])

        var all: [SyncNews] { heard.withLock { $0 } }
        func add(_ message: AppMessage) {
            if case .sync(let news) = message { heard.withLock { $0.append(news) } }
        }
        func clear() { heard.withLock { $0 = [] } }
    }

    private static func secret(_ text: String) -> SecretBytes {
        let bytes = Array(text.utf8)
        let secret = SecretBytes(count: bytes.count)
        secret.withMutableBytes { target in
            for index in bytes.indices { target[index] = bytes[index] }
        }
        return secret
    }

    @Test("an inspection that nobody assigned begins with the newest open form, and is stored")
    func begun() throws {
        let device = try unlocked()
        let offered = try device.work.beginnings()
        #expect(offered.forms.map(\.id) == ["round"] && offered.equipment.isEmpty)
        let form = try #require(offered.forms.first)
        let id = try device.work.begin(form: form.id, version: form.version, equipment: nil)
        #expect(try device.work.inspection(id).state == .inProgress)
        let row = try device.work.worklist().first { $0.id == id }
        #expect(row?.formID == "round" && row?.badge == .pending)
        #expect(throws: StoreRefusal.self) {
            try device.work.begin(form: "unknown", version: "1", equipment: nil)
        }
        device.work.lock()
    }

    @Test("A wrong PIN opens nothing, the right one opens the store, and locking closes it")
    func unlocking() throws {
        let device = try Device()
        #expect(throws: UnlockRefusal.wrongPINAndWait(1)) {
            try device.work.unlock(Self.secret("135790"))
        }
        #expect(throws: UnlockRefusal.delayed(1)) {
            try device.work.unlock(Self.secret(Self.pin))
        }
        #expect(throws: StoreRefusal.self) { try device.work.worklist() }
        device.boot.advance(seconds: 60)
        try device.work.unlock(Self.secret(Self.pin))
        #expect(try device.work.worklist().map(\.name) == ["FRZ-1"])
        device.work.lock()
        #expect(throws: StoreRefusal.self) { try device.work.worklist() }
    }

    private func unlocked(_ form: FormDefinition? = nil) throws -> Device {
        let device = try Device(form: form)
        try device.work.unlock(Self.secret(Self.pin))
        return device
    }

    @Test("What an answer raises comes with it, takes words and texts, and goes with its cause")
    func findings() throws {
        let device = try unlocked(FindingTests.form())
        let id = device.inspection
        let failed = try device.work.answer("seals", .string("fail"), on: id, agreed: false)
        let raised = try #require(failed?.findings.first)
        #expect(raised.finding.key == "seals" && raised.badge == .pending && raised.fails)
        let key = AnswerKey(row: raised.id.rawValue, "@note")
        try device.work.hold(["@note"], of: raised.id)
        try device.work.keepDraft("to", of: key, on: id)
        #expect(try device.work.inspection(id).drafts[key] == "to")
        let changed = try device.work.changeFinding(raised.id, by: .note("torn"), of: id)
        try device.work.release(["@note"], of: raised.id)
        #expect(changed?.findings.map(\.finding.note) == ["torn"])
        #expect(changed?.drafts.isEmpty == true)
        let byHand = try device.work.raiseFinding(on: "notes", of: id)
        #expect(byHand.picture?.findings.map(\.id) == [raised.id, byHand.finding])
        // The key pressed twice, or before the screen shows what the answer has raised.
        #expect(try device.work.raiseFinding(on: "notes", of: id).finding == byHand.finding)
        #expect(try device.work.raiseFinding(on: "seals", of: id).finding == raised.id)
        let left = try device.work.removeFinding(byHand.finding, of: id)
        #expect(left?.findings.count == 1)
        let queue = try device.work.status().rows
        #expect(queue.map(\.labels).contains([FormText("finding on Seals")]))
        #expect(queue.first { $0.record == raised.id }?.inspection == id)
        try device.work.complete(id)
        #expect(throws: StoreRefusal.self) {
            try device.work.changeFinding(raised.id, by: .owner("Ben"), of: id)
        }
    }

    @Test("Rows are added, answered with what the form works out, drafted in, and deleted")
    func rows() throws {
        let device = try unlocked(PumpForm.make())
        let added = try device.work.addRow(of: "pump", in: nil, on: device.inspection)
        #expect(added.picture?.rows.map(\.id) == [added.row])
        let pressure = AnswerKey(row: added.row, "pump/pressure")
        let answered = try device.work.answer(
            pressure, .integer(20), on: device.inspection, agreed: false)
        let picture = try #require(answered)
        #expect(picture.answers[pressure]?.value == .integer(20))
        #expect(picture.answers[pressure]?.standing == .savedHere)
        #expect(picture.answers[AnswerKey(row: added.row, "pump/twice")]?.value == .integer(40))
        let tag = AnswerKey(row: added.row, "pump/tag")
        try device.work.keepDraft("P-", of: tag, on: device.inspection)
        #expect(try device.work.inspection(device.inspection).drafts == [tag: "P-"])
        #expect(try device.work.worklist().map(\.hasDraft) == [true])
        let queued = try device.work.status().rows
        #expect(queued.contains { $0.inspection == device.inspection && !$0.isInspection })
        let rest = try device.work.deleteRow(added.row, on: device.inspection)
        #expect(rest?.rows == [])
        #expect(try device.work.inspection(device.inspection).rows == [])
    }

    @Test("F51 an answer that counts rows away is refused until the person agreed")
    func countedRows() throws {
        let device = try unlocked(PumpForm.make())
        let full = try device.work.answer(
            "weather/wind", .integer(2), on: device.inspection, agreed: false)
        let last = try #require(full?.rows.last)
        _ = try device.work.answer(
            AnswerKey(row: last.id, "valve/tag"), .string("V-2"), on: device.inspection,
            agreed: false)
        #expect(throws: StoreRefusal.self) {
            try device.work.answer(
                "weather/wind", .integer(0), on: device.inspection, agreed: false)
        }
        let empty = try device.work.answer(
            "weather/wind", .integer(0), on: device.inspection, agreed: true)
        #expect(empty?.rows == [])
    }

    @Test("An answer is stored with its standing, ends its draft and waits in the queue")
    func answering() throws {
        let device = try unlocked()
        try device.work.keepDraft("14", of: "pressure", on: device.inspection)
        #expect(try device.work.inspection(device.inspection).drafts == ["pressure": "14"])
        let picture = try #require(
            try device.work.answer(
                "pressure", .integer(142), on: device.inspection, agreed: false))
        #expect(picture.answers["pressure"]?.value == .integer(142))
        // *Sent* where the worker, on a busy machine, had sealed it before the picture was taken.
        let standing = try #require(picture.answers["pressure"]?.standing)
        #expect([.savedHere, .sent].contains(standing))
        #expect(picture.drafts.isEmpty)
        let status = try device.work.status()
        // One mutation, or two where the worker sealed the first one meanwhile.
        #expect(status.pending + status.inFlight == status.rows.count)
        #expect(Set(status.rows.map(\.name)) == ["FRZ-1"])
        #expect(status.rows.first?.createsRecord == true)
        #expect(status.rows.last?.fields == ["pressure"])
        #expect(try device.work.worklist().first?.badge == .pending)
    }

    @Test("U47 a draft that is found again and changed leaves the others byte for byte")
    func draftsApart() throws {
        let device = try unlocked()
        var texts: [AnswerKey: String] = [
            "pressure": "16", "next": "+3",
            "notes": "e\u{301}is\u{e9}\n\tq \u{1F469}\u{200D}\u{1F467}",
        ]
        for (key, text) in texts {
            try device.work.keepDraft(text, of: key, on: device.inspection)
        }
        for text in ["+30", "+3", "", "+31"] {
            texts["next"] = text
            try device.work.keepDraft(text, of: "next", on: device.inspection)
            // As a new start finds them.
            device.work.lock()
            try device.work.unlock(Self.secret(Self.pin))
            let found = try device.work.inspection(device.inspection).drafts
            #expect(found.mapValues { Array($0.utf8) } == texts.mapValues { Array($0.utf8) })
        }
    }

    @Test("F15 where background sync is off the status says so, over locks, and no cycle begins")
    func backgroundOff() throws {
        let device = try Device(syncsInBackground: false)
        for _ in 1...2 {
            try device.work.unlock(Self.secret(Self.pin))
            _ = try device.work.answer(
                "pressure", .integer(142), on: device.inspection, agreed: false)
            #expect(try device.work.status().isBackgroundOff)
            #expect(try device.work.status().inFlight == 0)
            device.work.lock()
        }
        #expect(device.news.all.isEmpty)
    }

    @Test("What the form refuses is said in words without the value")
    func refusing() throws {
        let device = try unlocked()
        let expected = StoreRefusal(.constraint, "pressure must be at most 600")
        #expect(throws: expected) {
            try device.work.answer(
                "pressure", .integer(98_765), on: device.inspection, agreed: false)
        }
        #expect(try device.work.inspection(device.inspection).answers["pressure"] == nil)
    }

    @Test("An inspection without a conflict has none to show, and an unknown one is refused")
    func nothingThere() throws {
        let device = try unlocked()
        #expect(try device.work.conflict(device.inspection) == nil)
        #expect(throws: StoreRefusal.self) {
            try device.work.inspection(RecordID("00000000-0000-4000-8000-00000000dead"))
        }
    }

    @Test("F19 an inspection whose form is not here is read, and nothing of it is changed")
    func formMissing() throws {
        let device = try Device(strange: ["pressure": 160, "remark": "frost", "new name": "kept"])
        try device.work.unlock(Self.secret(Self.pin))
        let picture = try device.work.inspection(Device.strange)
        #expect(picture.form.title == "from_the_future 9: form missing")
        #expect(picture.whyReadOnly?.contains("from_the_future 9 is not on this device") == true)
        #expect(picture.answers["pressure"]?.value == .integer(160))
        #expect(picture.answers["remark"]?.value == .string("frost"))
        let labels = picture.form.questions.map(\.label)
        #expect(labels == ["new name", "pressure", "remark"])
        #expect(picture.answers.values.contains { $0.value == .string("kept") })
        var screen = InspectionScreen(id: Device.strange)
        screen.show(picture, in: .looking(at: 0))
        screen.focus.settle(screen.keys)
        #expect(screen.whyNotAnswer == picture.whyReadOnly)
        #expect(throws: StoreRefusal.self) { try device.work.complete(Device.strange) }
        #expect(try device.work.worklist().count == 2)
    }

    @Test("Completing checks what is stored, and completing and reopening change the state")
    func states() throws {
        let device = try unlocked()
        #expect(throws: StoreRefusal(.constraint, "3 answers are missing or wrong")) {
            try device.work.complete(device.inspection)
        }
        #expect(try device.work.inspection(device.inspection).state == .inProgress)
        let answers: [(String, FieldValue)] = [
            ("pressure", .integer(142)), ("leak", .string("no")), ("seals", .string("pass")),
        ]
        for (path, value) in answers {
            _ = try device.work.answer(AnswerKey(path), value, on: device.inspection, agreed: false)
        }
        try device.work.complete(device.inspection)
        #expect(try device.work.inspection(device.inspection).state == .complete)
        try device.work.reopen(device.inspection)
        #expect(try device.work.inspection(device.inspection).state == .inProgress)
    }

    @Test("A network that was switched off stays off over a lock")
    func switchOverLock() throws {
        let device = try unlocked()
        device.work.setNetwork(on: false)
        device.work.lock()
        device.news.clear()
        try device.work.unlock(Self.secret(Self.pin))
        _ = try device.work.answer("pressure", .integer(142), on: device.inspection, agreed: false)
        // Locking waits for the worker: whatever it had begun has been told by then.
        device.work.lock()
        #expect(device.news.all.allSatisfy { $0 == .offline("switched off") })
        #expect(!device.news.all.isEmpty)
    }
}
