import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

/// Answers that come to stand otherwise than by being given through the form.
@Suite("Findings that follow every change of an answer")
struct FollowedFailureTests {
    private func sql(_ device: Device, _ statement: String) throws {
        _ = try device.store.sql(statement, write: true)
    }

    /// A device with a check that the server has, and what it found.
    private func synced(
        _ answers: (FieldName, FieldValue)...
    ) throws -> (Device, StoryServer, RecordID) {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = [:]
        for answer in answers { try device.answer(id, answer) }
        try device.sync(server)
        return (device, server, id)
    }

    private func newest(_ device: Device, of id: RecordID) throws -> MutationID {
        try #require(try device.store.outbox().last { $0.recordId == id }).mutationId
    }

    // MARK: SQL

    @Test("What a statement writes raises and withdraws like a key press, through view and table")
    func statement() throws {
        let (device, id) = try Device.withCheck()
        let row = try device.addRow(to: id, ("door/seal", "pass"))
        try sql(device, "UPDATE \"check\" SET seals = 'fail', light = 'fail' WHERE id = '\(id)'")
        #expect(try device.found(in: id) == ["seals major pending pending"])
        try sql(
            device,
            "UPDATE field SET value = 'fail' WHERE record_id = '\(row)' AND name = 'door/seal'")
        #expect(
            try device.found(in: id) == [
                "seals major pending pending", "door[1]/seal major pending pending",
            ])
        try sql(device, "UPDATE \"check\" SET seals = 'pass' WHERE id = '\(id)'")
        #expect(try device.found(in: id) == ["door[1]/seal major pending pending"])
        // The row goes, and what was found in it.
        try sql(device, "UPDATE record SET is_deleted = 1 WHERE id = '\(row)'")
        #expect(try device.found(in: id).isEmpty)
        try device.finish()
    }

    @Test("A statement that begins an inspection, and one that takes a change back unsent")
    func statementBegins() throws {
        let (device, _, id) = try synced(("seals", "pass"), ("power", "pass"))
        try sql(
            device,
            "INSERT INTO \"check\" (id, alarm, \"@formVersion\") VALUES ('new', 'fail', '1')")
        #expect(try device.found(in: "new") == ["alarm critical pending pending"])
        try sql(device, "UPDATE \"check\" SET seals = 'fail' WHERE id = '\(id)'")
        #expect(try device.found(in: id) == ["seals major pending pending"])
        try sql(device, "UPDATE \"check\" SET seals = 'pass' WHERE id = '\(id)'")
        #expect(try device.found(in: id).isEmpty)
        #expect(try device.queue(id).isEmpty)
        try device.finish()
    }

    @Test("What a statement fills and completes at once is closed: nothing is raised behind it")
    func statementCloses() throws {
        let (device, id) = try Device.withCheck()
        try sql(
            device,
            "UPDATE \"check\" SET seals = 'fail', \"@state\" = 'complete' WHERE id = '\(id)'")
        #expect(try device.store.inspection(id).summary.state == "complete")
        #expect(try device.found(in: id).isEmpty)
        try device.finish()
    }

    // MARK: Discard

    @Test(
        "Taken up again by a statement, an inspection finds nothing anew that was mended or removed",
        arguments: [true, false])
    func reopenedByStatement(isMended: Bool) throws {
        let (device, server, id) = try synced(("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        if isMended {
            try device.store.changeFinding(finding, by: [.status(.corrected)])
        } else {
            try device.store.removeFinding(finding)
        }
        try device.store.complete(id)
        try device.sync(server)
        let before = try device.found(in: id)
        #expect(before.count == (isMended ? 1 : 0))
        try sql(device, "UPDATE \"check\" SET \"@state\" = 'inProgress' WHERE id = '\(id)'")
        #expect(try device.found(in: id) == before)
        // What fails by the same statement is found all the same.
        try device.store.complete(id)
        try sql(
            device,
            "UPDATE \"check\" SET \"@state\" = 'inProgress', power = 'fail' WHERE id = '\(id)'")
        #expect(try device.found(in: id).count == before.count + 1)
        try device.finish()
    }

    @Test("A correction that is discarded brings the failure back, and what was found with it")
    func discardedCorrection() throws {
        let (device, server, id) = try synced(("seals", "fail"))
        let first = try device.onlyFinding(in: id)
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id).isEmpty)
        try device.store.discard(try newest(device, of: id))
        #expect(try device.found(in: id) == ["seals major pending pending"])
        #expect(try device.onlyFinding(in: id) != first)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "What a person removed or saw mended is not found again in the same failure",
        arguments: [nil, Finding.Status.closed, .corrected], [false, true])
    func settledByPerson(status: Finding.Status?, isSent: Bool) throws {
        let (device, server, id) = try synced(("power", "pass"))
        try device.answer(id, ("guards", "fail"))
        if isSent { try device.sync(server) }
        let finding = try device.onlyFinding(in: id)
        if let status {
            try device.store.changeFinding(finding, by: [.status(status), .note("bent")])
        } else {
            try device.store.removeFinding(finding)
        }
        let before = try device.found(in: id).count
        try device.sync(server)
        // Not asked for a while; then a correction that is taken back.
        try device.answer(id, ("power", "na"))
        try device.answer(id, ("power", "pass"))
        #expect(try device.found(in: id).count == before)
        try device.answer(id, ("guards", "pass"))
        try device.store.discard(try newest(device, of: id))
        #expect(try device.value("guards", of: id) == "fail")
        #expect(try device.found(in: id).count == before)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("A failure that is discarded takes its finding along, also where the queue is full")
    func discardedFailure() throws {
        let (device, server, id) = try synced(("seals", "pass"), ("alarm", "fail"))
        try device.answer(id, ("seals", "fail"))
        #expect(try device.found(in: id).count == 2)
        try device.store.discard(try newest(device, of: id))
        #expect(try device.found(in: id) == ["alarm critical pending"])
        try device.answer(id, ("alarm", "pass"))
        try device.store.setQueueLimit(1)
        try device.store.discard(try newest(device, of: id))
        #expect(try device.found(in: id) == ["alarm critical pending pending"])
        #expect(try device.store.queueLimit() == 1)
        try device.sync(server)
        try device.finish()
    }

    @Test("A finding that was a mistake can be taken away also where the queue is full")
    func removedWhileFull() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        try device.store.setQueueLimit(1)
        #expect(throws: (any Error).self) { try device.newCheck() }
        try device.store.removeFinding(device.onlyFinding(in: id))
        #expect(try device.found(in: id).isEmpty)
        #expect(try device.store.queueLimit() == 1)
        try device.finish()
    }

    @Test("A row that was added and is discarded takes along what was found in it")
    func discardedRow() throws {
        let (device, _, id) = try synced(("seals", "pass"))
        let row = try device.addRow(to: id, ("door/seal", "fail"))
        #expect(try device.found(in: id).count == 1)
        try device.store.discard(try newest(device, of: RecordID(row)))
        #expect(try device.found(in: id).isEmpty)
        #expect(try device.store.outbox().isEmpty)
        try device.finish()
    }

    // MARK: Resolve

    private func inConflict(
        _ mine: FieldValue, _ theirs: FieldValue, found: Bool = false
    ) throws -> (Device, StoryServer, RecordID) {
        let (device, server, id) = try synced(("seals", "na"))
        server.edit(id, ["seals": theirs])
        if found {
            server.edit(
                "theirs",
                [
                    "@question": "seals", "@severity": "major", "@status": "pending",
                    "@raisedBy": "answer", "@repeated": .integer(0),
                ], table: RecordTable.finding, parent: id)
        }
        try device.answer(id, ("seals", mine))
        try device.sync(server)
        #expect(try device.store.conflicts(of: id).map(\.column) == ["seals"])
        return (device, server, id)
    }

    @Test(
        "A decision of a conflict raises what fails by it, once, and withdraws what does not",
        arguments: [
            // Mine, theirs, whether theirs came with its finding; the decision; what is found then.
            ("pass", "fail", false, .theirs, 1), ("pass", "fail", true, .theirs, 1),
            ("pass", "fail", true, .mine, 0), ("fail", "pass", false, .mine, 1),
            ("fail", "pass", false, .theirs, 0), ("pass", "not_observed", false, .value("fail"), 1),
            ("fail", "pass", false, .value("na"), 0),
        ] as [(FieldValue, FieldValue, Bool, Resolution, Int)])
    func resolved(
        mine: FieldValue, theirs: FieldValue, found: Bool, decision: Resolution, count: Int
    ) throws {
        let (device, server, id) = try inConflict(mine, theirs, found: found)
        try device.store.resolve(id, ["seals": decision])
        #expect(try device.found(in: id).count == count)
        try device.sync(server)
        #expect(try device.found(in: id) == (count == 0 ? [] : ["seals major pending"]))
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "A failure that a person keeps in a conflict is the one that he has found and seen mended",
        arguments: [nil, Finding.Status.corrected])
    func keptInConflict(status: Finding.Status?) throws {
        let (device, server, id) = try inConflict("fail", "pass")
        let finding = try device.onlyFinding(in: id)
        if let status {
            try device.store.changeFinding(finding, by: [.status(status)])
        } else {
            try device.store.removeFinding(finding)
        }
        let before = try device.found(in: id).count
        try device.store.resolve(id, ["seals": .mine])
        #expect(try device.found(in: id).count == before)
        try device.sync(server)
        try device.finish()
    }

    @Test("A decision in an inspection that is complete raises nothing and is not refused for it")
    func resolvedWhereClosed() throws {
        let (device, server, id) = try inConflict("pass", "fail")
        try device.store.complete(id)
        try device.store.resolve(id, ["seals": .theirs])
        #expect(try device.value("seals", of: id) == "fail")
        #expect(try device.found(in: id).isEmpty)
        try device.sync(server)
        try device.finish()
    }

    @Test("What a pull brings is found by whoever entered it: it raises nothing here")
    func pulled() throws {
        let (device, server, id) = try synced(("seals", "pass"))
        server.edit(id, ["seals": "fail"])
        try device.sync(server)
        #expect(try device.found(in: id).isEmpty)
        try device.answer(id, ("power", "pass"))
        #expect(try device.found(in: id).isEmpty)
        try device.finish()
    }

    // MARK: Once more

    @Test(
        "What was mended and fails anew is a finding of its own",
        arguments: [Finding.Status.closed, .corrected], [false, true])
    func failsAnew(status: Finding.Status, isSent: Bool) throws {
        let (device, server, id) = try synced(("power", "pass"))
        try device.answer(id, ("seals", "fail"))
        let first = try device.onlyFinding(in: id)
        try device.store.changeFinding(first, by: [.status(status)])
        if isSent { try device.sync(server) }
        try device.answer(id, ("seals", "pass"))
        if isSent { try device.sync(server) }
        try device.answer(id, ("seals", "fail"))
        let all = try device.store.inspection(id).findings.map(\.view)
        #expect(
            all.map(\.finding.status).sorted { $0.rawValue > $1.rawValue } == [.pending, status])
        #expect(try device.store.standingFinding(on: AnswerKey("seals"), of: id) != first)
        // Still to be mended, it is the one that stands.
        try device.answer(id, ("seals", "fail"))
        #expect(try device.found(in: id).count == 2)
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id).count == 1)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
