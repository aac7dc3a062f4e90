import Coding
import Forms
import Inspections
import Replication
import SQLite
import Testing

@testable import LocalStore

@Suite("Findings")
struct FindingTests {
    @Test(
        "An answer that fails raises a finding with it, below its inspection and in the same queue")
    func raised() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"), ("alarm", "fail"), ("light", "fail"))
        #expect(
            try device.found(in: id) == [
                "seals major pending pending", "alarm critical pending pending",
            ])
        let seals = try device.store.inspection(id).findings[0]
        #expect(seals.question == "Seals" && seals.view.finding.isFromAnswer)
        #expect(
            try device.queue(seals.view.id) == [
                """
                INSERT PENDING @question=seals on -@0 @raisedBy=answer on -@0 @repeated=0 on -@0 \
                @severity=major on -@0 @status=pending on -@0
                """
            ])
        // The same failure again, and another answer: nothing new.
        try device.answer(id, ("seals", "fail"), ("power", "pass"))
        #expect(try device.found(in: id).count == 2)
        #expect(try device.store.inspections().first?.sync == .pending)
        try device.finish()
    }

    @Test("A corrected answer takes its finding along, unless somebody has worked on it")
    func withdrawn() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        let first = try device.onlyFinding(in: id)
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id).isEmpty)
        // Never sent: nothing of it is in the queue.
        #expect(try device.store.outbox().allSatisfy { $0.recordId == id })
        #expect(try device.store.history(of: first).map(\.field).contains("@question"))
        try device.answer(id, ("seals", "fail"))
        try device.store.changeFinding(
            try device.onlyFinding(in: id), by: [.note("gap of 3 mm"), .owner("Ben")])
        try device.answer(id, ("seals", "na"))
        #expect(try device.found(in: id) == ["seals major pending Ben gap of 3 mm passes pending"])
        try device.finish()
    }

    @Test(
        "What was worked on stays, whatever it was",
        arguments: [
            FindingChange.severity(.minor), .status(.corrected), .owner("Ben"), .due("2026-12-24"),
            .note("worn"),
        ])
    func touched(change: FindingChange) throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        try device.store.changeFinding(try device.onlyFinding(in: id), by: [change])
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id).count == 1)
        try device.finish()
    }

    @Test("What somebody has begun to type in it is work on it: it stays, and so does the text")
    func begun() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        try device.store.saveDraft("gap of", of: BuiltInField.note, in: finding)
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id) == ["seals major pending passes pending"])
        #expect(try device.store.draft(of: BuiltInField.note, in: finding)?.text == "gap of")
        try device.store.removeFinding(finding)
        try device.finish()
    }

    @Test("A finding that the server has goes as a tombstone, and a new failure raises another one")
    func withdrawnAfterSending() throws {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = [:]
        try device.answer(id, ("seals", "fail"))
        let first = try device.onlyFinding(in: id)
        try device.sync(server)
        #expect(try device.found(in: id) == ["seals major pending"])
        try device.answer(id, ("seals", "pass"))
        #expect(try device.queue(first).map { $0.prefix(6) } == ["DELETE"])
        try device.sync(server)
        #expect(server.records[first]?.isDeleted == true)
        try device.answer(id, ("seals", "fail"))
        #expect(try device.onlyFinding(in: id) != first)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("What is not asked any more fails nothing; asked again, it does")
    func hidden() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("power", "pass"))
        try device.answer(id, ("guards", "fail"))
        #expect(try device.found(in: id) == ["guards critical pending pending"])
        try device.answer(id, ("power", "not_observed"))
        #expect(try device.found(in: id).isEmpty)
        try device.answer(id, ("power", "pass"))
        #expect(try device.found(in: id) == ["guards critical pending pending"])
        try device.finish()
    }

    @Test("By hand, on any question: also a second one where one stands, and on what passes")
    func byHand() throws {
        let (device, id) = try Device.withCheck()
        try device.store.raiseFinding(
            on: AnswerKey("notes"), of: id, [.severity(.minor), .note("floor is wet")])
        try device.answer(id, ("seals", "fail"))
        let second = try device.store.raiseFinding(on: AnswerKey("seals"), of: id)
        #expect(try device.found(in: id).count == 3)
        // Only what the answer raised goes with it.
        try device.answer(id, ("seals", "pass"))
        #expect(
            try device.found(in: id) == [
                "seals major pending passes pending",
                "notes minor pending floor is wet passes pending",
            ])
        try device.store.removeFinding(second)
        #expect(try device.found(in: id).count == 1)
        #expect(throws: StoreError.refused(.question, field: "hint")) {
            try device.store.raiseFinding(on: AnswerKey("hint"), of: id)
        }
        #expect(throws: StoreError.refused(.question, field: "nowhere")) {
            try device.store.raiseFinding(on: AnswerKey("nowhere"), of: id)
        }
        #expect(throws: AnswerRefusal.noSuchRow) {
            try device.store.raiseFinding(on: AnswerKey(row: "gone", "door/seal"), of: id)
        }
        try device.finish()
    }

    @Test("A finding by hand on what fails stays when nobody wrote to it and the answer passes")
    func byHandOnFailure() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        try device.store.removeFinding(try device.onlyFinding(in: id))
        // Who took it away is not asked again by the next answer.
        try device.answer(id, ("power", "pass"))
        #expect(try device.found(in: id).isEmpty)
        try device.store.raiseFinding(on: AnswerKey("seals"), of: id)
        try device.answer(id, ("seals", "pass"))
        #expect(try device.found(in: id).count == 1)
        try device.finish()
    }

    @Test("A finding of a row stands where the row stands, and goes out of sight with it")
    func inRow() throws {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = [:]
        try device.addRow(to: id, ("door/tag", "D-1"), ("door/seal", "pass"))
        let row = try device.addRow(to: id, ("door/tag", "D-2"), ("door/seal", "fail"))
        #expect(try device.found(in: id) == ["door[2]/seal major pending pending"])
        try device.sync(server)
        let finding = try device.onlyFinding(in: id)
        try device.store.change(id, by: [.remove(row: row)], agreed: true)
        #expect(try device.found(in: id).isEmpty)
        try device.sync(server)
        #expect(server.records[finding]?.isDeleted == false)
        // Somebody restores the row: what was found in it is there again.
        server.edit(
            RecordID(row), [Mutation.deletedField: .integer(0)], table: RecordTable.repetition)
        try device.sync(server)
        #expect(try device.found(in: id) == ["door[2]/seal major pending"])
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("A row that was never sent takes what was found in it along")
    func inUnsentRow() throws {
        let (device, id) = try Device.withCheck()
        let row = try device.addRow(to: id, ("door/seal", "fail"))
        try device.store.changeFinding(try device.onlyFinding(in: id), by: [.note("torn")])
        try device.store.change(id, by: [.remove(row: row)], agreed: true)
        #expect(try device.found(in: id).isEmpty)
        #expect(try device.store.outbox().allSatisfy { $0.recordId == id })
        try device.finish()
    }

    @Test("A complete inspection closes its findings: reopen first", arguments: [false, true])
    func closed(isApproved: Bool) throws {
        let (device, id) = try Device.withCheck()
        let server = StoryServer()
        server.policies = [:]
        try device.answer(id, ("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        try device.store.complete(id)
        if isApproved {
            try device.sync(server)
            server.edit(id, ["@state": "approved"])
            try device.sync(server)
        }
        func refused(_ edit: () throws -> Void) {
            #expect { try edit() } throws: { error in
                guard case .refused(let why, _)? = error as? StoreError else { return false }
                return why == (isApproved ? .approved : .complete)
            }
        }
        refused { try device.store.changeFinding(finding, by: [.note("late")]) }
        refused { try device.store.removeFinding(finding) }
        refused { try device.store.raiseFinding(on: AnswerKey("power"), of: id) }
        #expect(try device.store.inspection(id).findings.map(\.view.finding.note) == [nil])
        if !isApproved {
            try device.store.reopen(id)
            try device.store.changeFinding(finding, by: [.note("late")])
            #expect(try device.store.inspection(id).findings.map(\.view.finding.note) == ["late"])
        }
        try device.finish()
    }

    @Test("A grave finding that says nothing stands in the way of complete, and nothing else does")
    func completion() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"), ("alarm", "fail"))
        let filling = try device.store.filling(of: id)
        #expect(
            filling.state.problems == [FormProblem(path: "alarm", problem: .unexplainedFinding)])
        #expect(throws: (any Error).self) { try device.requireCompletable(id) }
        // It refuses no answer.
        try device.answer(id, ("notes", "loud"))
        let alarm = try device.store.inspection(id).findings[1].view.id
        try device.store.saveDraft("no pow", of: BuiltInField.note, in: alarm)
        #expect(
            try device.store.filling(of: id).state.problems.map(\.problem) == [.unfinishedFinding])
        try device.store.changeFinding(alarm, by: [.note("no power")])
        #expect(try device.store.drafts(in: alarm).isEmpty)
        try device.requireCompletable(id)
        try device.finish()
    }

    @Test("A grave finding on what is not asked any more stands in the way of complete too")
    func completionWhereHidden() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("power", "pass"))
        try device.answer(id, ("guards", "fail"))
        let guards = try device.onlyFinding(in: id)
        try device.store.changeFinding(guards, by: [.owner("Ben")])
        try device.answer(id, ("power", "na"))
        let row = try device.addRow(to: id, ("door/tag", "D-1"))
        try device.store.raiseFinding(
            on: AnswerKey(row: row, "door/seal"), of: id, [.severity(.critical)])
        #expect(
            try device.store.filling(of: id).state.problems == [
                FormProblem(path: "door/seal", problem: .unexplainedFinding, row: row),
                FormProblem(path: "guards", problem: .unexplainedFinding),
            ])
        #expect(
            try device.store.filling(of: id).state(ofRow: row).problems.map(\.path)
                == ["door/seal"])
        try device.store.change(id, by: [.remove(row: row)], agreed: true)
        try device.store.saveDraft("be", of: BuiltInField.note, in: guards)
        #expect(
            try device.store.filling(of: id).state.problems == [
                FormProblem(path: "guards", problem: .unfinishedFinding)
            ])
        #expect(throws: (any Error).self) { try device.requireCompletable(id) }
        try device.store.changeFinding(guards, by: [.note("bent")])
        try device.requireCompletable(id)
        try device.finish()
    }

    @Test("What somebody types in a finding goes with the finding")
    func draftOfWithdrawn() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        try device.store.saveDraft("wo", of: BuiltInField.note, in: finding)
        try device.store.removeFinding(finding)
        #expect(try device.store.status().drafts == 0)
        try device.finish()
    }

    @Test("Work on a finding begins an inspection that was assigned, as an answer does")
    func beginsWork() throws {
        let device = try Device()
        try device.store.store(form: try FindingForm.form)
        let server = StoryServer()
        server.policies = [:]
        server.edit(
            "assigned",
            ["@form": .string(FindingForm.id), "@formVersion": "1", "@state": "assigned"])
        try device.sync(server)
        try device.store.raiseFinding(on: AnswerKey("notes"), of: "assigned")
        #expect(try device.store.inspection("assigned").summary.state == "inProgress")
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("The database itself refuses what is no finding")
    func constraints() throws {
        let (device, id) = try Device.withCheck()
        try device.answer(id, ("seals", "fail"))
        let finding = try device.onlyFinding(in: id)
        let wrong: [(FieldName, FieldValue, Refusal)] = [
            ("@severity", "awful", .word), ("@severity", .integer(1), .word),
            ("@severity", .null, .word), ("@status", "open", .word), ("@due", "soon", .day),
            ("@note", .integer(1), .type), ("@owner", .double(1.5), .type),
            ("@repeated", .integer(2), .type), ("@raisedBy", "weather", .word),
            ("@raisedBy", .null, .word), ("@question", "alarm", .key),
            ("@row", .string(""), .type), ("@note", "a\u{1b}[2J", .text),
        ]
        for (name, value, refusal) in wrong {
            #expect(throws: StoreError.refused(refusal, field: name), "\(name)") {
                try device.store.set([(name, value)], on: finding)
            }
        }
        #expect(throws: StoreError.refused(.finding, field: nil)) {
            try device.store.edit {
                try $0.insertRecord("stray", table: RecordTable.finding, parent: finding)
            }
        }
        #expect(throws: StoreError.refused(.question, field: "@question")) {
            try device.store.edit {
                try $0.insertRecord("stray", table: RecordTable.finding, parent: id)
                try $0.write("nowhere", to: BuiltInField.question, of: "stray")
            }
        }
        #expect(try device.found(in: id) == ["seals major pending pending"])
        try device.finish()
    }

    @Test(
        "Open findings of all inspections, what is due first; closed ones and those of deleted ones out"
    )
    func listed() throws {
        let (device, first) = try Device.withCheck()
        let second = try device.newCheck()
        let third = try device.newCheck()
        try device.answer(first, ("seals", "fail"), ("power", "fail"))
        try device.answer(second, ("seals", "fail"))
        try device.answer(third, ("seals", "fail"))
        let power = try device.store.inspection(first).findings[1].view.id
        try device.store.changeFinding(power, by: [.status(.closed)])
        try device.store.changeFinding(
            try device.onlyFinding(in: second), by: [.due("2026-12-24")])
        try device.store.delete(third)
        let all = try device.store.openFindings()
        #expect(all.map(\.inspection.id) == [second, first])
        #expect(
            try device.store.findingNames([power, first]) == [power: "finding on Power"])
        try device.finish()
    }
}
