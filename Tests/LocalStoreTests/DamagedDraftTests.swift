import Replication
import SQLite
import Testing

@testable import LocalStore

@Suite("A draft that is no text any more")
struct DamagedDraftTests {
    @Test("U45 it stands beside the others, keeps nothing from being shown, and can be discarded")
    func damaged() throws {
        let (device, id) = try Device.withRound()
        for field in ["doors", "notes"] { try device.store.saveDraft("1", of: field, in: id) }
        let raw = try device.openRaw()
        try raw.run(script: "UPDATE draft SET text = x'fe00ff1b5b324a41' WHERE name = 'doors'")
        try raw.close()
        let found = try device.store.drafts(in: id)
        #expect(found.map(\.field) == ["doors", "notes"])
        #expect(found.first?.text.hasSuffix("A") == true && found.last?.text == "1")
        #expect(try device.store.inspectionsWithDrafts() == [id])
        #expect(try device.store.status().drafts == 2)
        // Also where it has no question any more.
        try device.store.saveDraft("1", of: "doors", in: RecordID("gone"))
        let again = try device.openRaw()
        try again.run(script: "UPDATE draft SET text = x'ff' WHERE record_id = 'gone'")
        try again.close()
        let stranded = try device.store.strandedDrafts().filter { $0.reason == .deleted }
        #expect(stranded.map(\.draft.field) == ["doors"])
        for (record, field) in [(id, "doors"), (id, "notes"), (RecordID("gone"), "doors")] {
            try device.store.discardDraft(of: field, in: record)
        }
        #expect(try device.store.status().drafts == 0)
        try device.finish()
    }
}
