import Coding
import Forms
import Inspections
import Replication
import Testing

@testable import LocalStore

/// What was typed and not accepted, where the question goes away meanwhile.
@Suite("Texts typed in what is deleted elsewhere")
struct StrandedDraftTests {
    private let device: Device
    private let server = StoryServer()
    private let id: RecordID
    private let row: RecordID

    init() throws {
        (device, id) = try Device.withRound()
        row = RecordID(try device.addRow(to: id, ("door/tag", "D-1")))
        try device.sync(server)
        try device.store.saveDraft("D-1 is", of: "door/tag", in: row)
        #expect(try device.store.strandedDrafts() == [], "the screen shows it at its question")
    }

    @Test("the row goes, the text is told with its place, and goes when it is discarded")
    func deletedRow() throws {
        server.delete(row)
        try device.sync(server)
        let stranded = try #require(try device.store.strandedDrafts().first)
        #expect(stranded.record == row && stranded.inspection == id)
        #expect(stranded.draft.field == "door/tag" && stranded.draft.text == "D-1 is")
        #expect(try device.store.status().strandedDrafts == 1)
        try device.reopen()
        #expect(try device.store.strandedDrafts() == [stranded])
        try device.store.discardDraft(of: "door/tag", in: row)
        #expect(try device.store.strandedDrafts() == [])
        #expect(try device.store.status().drafts == 0)
        try device.finish()
    }

    @Test(
        "with its inspection deleted it is told, with it restored it stands at its question again")
    func deletedInspection() throws {
        server.delete(id)
        try device.sync(server)
        #expect(try device.store.strandedDrafts().map(\.inspection) == [id])
        server.restore(id)
        try device.sync(server)
        #expect(try device.store.strandedDrafts() == [])
        #expect(try device.store.drafts(in: row).map(\.text) == ["D-1 is"])
        try device.finish()
    }

    @Test("a text of a finding is told with what that was about when the finding goes, or its row")
    func finding() throws {
        for isRow in [false, true] {
            let (device, id) = try Device.withCheck()
            let server = StoryServer()
            server.policies = [:]
            let row = device.store.newRowID()
            let key = AnswerKey(row: row, "door/seal")
            try device.store.change(
                id,
                by: [.add(row: row, path: "door", parent: nil), .answer(key, .string("fail"))])
            let finding = try device.onlyFinding(in: id)
            try device.sync(server)
            try device.store.hold([BuiltInField.note], of: finding)
            server.delete(isRow ? RecordID(row) : finding)
            try device.sync(server)
            #expect(try device.found(in: id).isEmpty)
            // The screen hears of it, and keeps what was being typed.
            try device.store.saveDraft("torn at", of: BuiltInField.note, in: finding)
            try device.store.release([BuiltInField.note], of: finding)
            let stranded = try #require(try device.store.strandedDrafts().first)
            #expect(stranded.record == finding && stranded.inspection == id)
            #expect(stranded.finding == key && stranded.draft.text == "torn at")
            try device.reopen()
            #expect(try device.store.strandedDrafts() == [stranded])
            try device.store.discardDraft(of: BuiltInField.note, in: finding)
            #expect(try device.store.status().drafts == 0)
            try device.finish()
        }
    }

    @Test("who deletes a row here knows what was typed in it")
    func deletedHere() throws {
        try device.store.change(id, by: [.remove(row: row.rawValue)], agreed: true)
        #expect(try device.store.strandedDrafts() == [])
        #expect(try device.store.status().drafts == 0)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
