import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

/// Findings of one inspection on several devices.
@Suite("Findings that several people work on")
struct FindingMergeTests {
    private static var policies: [FieldName: MergePolicy] {
        get throws {
            var policies: [FieldName: MergePolicy] = [:]
            for name in BuiltInField.all {
                policies[name] = try MergePolicy(parsing: BuiltInField.mergePolicy(of: name))
            }
            return policies
        }
    }

    @Test(
        "Three devices: two raise one of the same question, the third works on both; nothing is lost",
        arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func threeDevices(order: [Int]) throws {
        let server = StoryServer()
        server.policies = try Self.policies
        let devices = try (0..<3).map {
            try Device(seed: UInt64($0 + 1), node: NodeID("node-\($0)"))
        }
        let id = try devices[0].newCheck()
        for device in devices[1...] { try device.store.store(form: try FindingForm.form) }
        try devices[0].sync(server)
        try devices[1].sync(server)
        // Offline, both see the seals fail.
        try devices[0].answer(id, ("seals", "fail"))
        try devices[1].answer(id, ("seals", "fail"))
        try devices[0].store.changeFinding(
            try devices[0].onlyFinding(in: id), by: [.note("left door")])
        try devices[1].store.changeFinding(
            try devices[1].onlyFinding(in: id), by: [.note("right door")])
        for device in [devices[0], devices[1], devices[2]] { try device.sync(server) }
        let both = try devices[2].store.inspection(id).findings
        #expect(Set(both.compactMap(\.view.finding.note)) == ["left door", "right door"])
        // All three work on the first of them: the graver severity and the further status stand.
        let one = try #require(both.first).view.id
        for device in devices { try device.sync(server) }
        let edits: [FindingChange] = [.severity(.minor), .severity(.critical), .status(.corrected)]
        for (device, edit) in zip(devices, edits) {
            try device.store.changeFinding(one, by: [edit])
        }
        for index in order { try devices[index].sync(server) }
        for device in devices { try device.sync(server) }
        for device in devices {
            let finding = try #require(
                try device.store.inspection(id).findings.first { $0.view.id == one })
            #expect(finding.view.finding.severity == .critical)
            #expect(finding.view.finding.status == .corrected)
            #expect(finding.view.sync == .synced)
            #expect(try device.store.inspection(id).findings.count == 2)
            try device.expectNothingPending(server)
            try device.finish()
        }
    }

    @Test("Two people write what is wrong at once: a person decides, and the inspection says so")
    func notes() throws {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = try Self.policies
        try device.answer(id, ("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        try device.sync(server)
        server.edit(finding, ["@note": "theirs", "@owner": "Cleo"], table: RecordTable.finding)
        try device.store.changeFinding(finding, by: [.note("mine"), .owner("Ben")])
        try device.sync(server)
        let detail = try device.store.inspection(id)
        #expect(detail.summary.sync == .conflict)
        #expect(detail.findings.map(\.view.sync) == [.conflict])
        #expect(detail.conflicts.map(\.recordId) == [finding])
        #expect(detail.conflicts.map(\.column) == ["@note"])
        #expect(try device.store.inspectionsOfParts([finding])[finding] == id)
        try device.store.resolve(finding, ["@note": .mine])
        try device.sync(server)
        #expect(server.records[finding]?.fields["@note"]?.value == "mine")
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "A correction withdraws what a colleague has written to meanwhile: it is offered back to him"
    )
    func withdrawnUnderAnEdit() throws {
        let server = StoryServer()
        server.policies = try Self.policies
        let mine = try Device(seed: 1, node: "node-a")
        let theirs = try Device(seed: 2, node: "node-b")
        let id = try mine.newCheck()
        try theirs.store.store(form: try FindingForm.form)
        try mine.answer(id, ("seals", "fail"))
        try mine.sync(server)
        try theirs.sync(server)
        let finding = try theirs.onlyFinding(in: id)
        try theirs.store.changeFinding(finding, by: [.note("torn")])
        try mine.answer(id, ("seals", "pass"))
        try mine.sync(server)
        try theirs.sync(server)
        #expect(try theirs.store.inspection(id).conflicts.map(\.recordId) == [finding])
        let decided = Dictionary(
            try theirs.store.conflicts(of: finding).map { ($0.column, Resolution.mine) }
        ) { first, _ in first }
        try theirs.store.resolve(finding, decided)
        try theirs.sync(server)
        try mine.sync(server)
        #expect(try mine.found(in: id) == ["seals major pending torn passes"])
        for device in [mine, theirs] {
            try device.expectNothingPending(server)
            try device.finish()
        }
    }

    @Test(
        "Two devices correct the same answer: each withdraws its finding, and that merges quietly")
    func withdrawnTwice() throws {
        let server = StoryServer()
        server.policies = try Self.policies
        let mine = try Device(seed: 1, node: "node-a")
        let theirs = try Device(seed: 2, node: "node-b")
        let id = try mine.newCheck()
        try theirs.store.store(form: try FindingForm.form)
        try mine.answer(id, ("seals", "fail"))
        try mine.sync(server)
        try theirs.sync(server)
        try mine.answer(id, ("seals", "pass"))
        try theirs.answer(id, ("seals", "pass"))
        for device in [mine, theirs, mine] { try device.sync(server) }
        for device in [mine, theirs] {
            #expect(try device.found(in: id).isEmpty)
            try device.expectNothingPending(server)
            try device.finish()
        }
    }
}

/// What the last visit found too.
@Suite("Findings that are there again")
struct FindingRepeatTests {
    @Test(
        "what failed at the last visit of the equipment too is a repeated finding, by answer and by hand"
    )
    func repeated() throws {
        let device = try equipped()
        func visit(_ answers: [(String, FieldValue)]) throws -> RecordID {
            try self.visit(device, answers)
        }
        let first = try visit([("seals", "fail"), ("light", "fail")])
        #expect(
            try device.store.inspection(first).findings.map(\.view.finding.isRepeated) == [false])
        try device.store.complete(first)
        let second = try visit([("power", "fail"), ("seals", "fail"), ("light", "fail")])
        try device.store.raiseFinding(on: AnswerKey("light"), of: second)
        let found = try device.store.inspection(second).findings.map(\.view.finding)
        #expect(found.map(\.question) == ["seals", "power", "light"])
        #expect(found.map(\.isRepeated) == [true, false, true])
        #expect(found.map(\.isFromAnswer) == [true, true, false])
        // The answer that passes takes along what it raised, and nothing that a person did.
        try device.answer(second, ("seals", "pass"), ("light", "pass"))
        #expect(
            try device.found(in: second) == [
                "power major pending pending", "light major pending passes pending",
            ])
        try device.finish()
    }

    @Test("what was answered at the last visit and not asked any more did not fail then")
    func hiddenThen() throws {
        let device = try equipped()
        let first = try visit(device, [("power", "pass"), ("guards", "fail"), ("power", "fail")])
        try device.store.complete(first)
        let second = try visit(device, [("power", "pass"), ("guards", "fail")])
        let visit = try #require(try device.store.previousVisit(of: second))
        #expect(visit.answers[AnswerKey("guards")] == .null)
        #expect(visit.answers[AnswerKey("power")] == .string("fail"))
        let found = try device.store.inspection(second).findings.map(\.view.finding)
        #expect(found.map(\.question) == ["guards"] && found.map(\.isRepeated) == [false])
        try device.finish()
    }

    /// A device with the form of checks and one piece of equipment.
    private func equipped() throws -> Device {
        let device = try Device()
        try device.store.store(form: try FindingForm.form)
        let server = StoryServer()
        server.policies = [:]
        server.edit("asset", ["@tag": "F-17"], table: RecordTable.asset)
        try device.sync(server)
        return device
    }

    private func visit(_ device: Device, _ answers: [(String, FieldValue)]) throws -> RecordID {
        let id = try device.store.createInspection(
            form: FindingForm.id, version: "1", asset: "asset")
        for answer in answers { try device.answer(id, answer) }
        return id
    }
}
