import Coding
import Forms
import LocalStore
import Replication
import Testing

@Suite("Texts without a place as commands")
struct DraftsCommandTests {
    private let bench: StoreBench
    private let id = RecordID("1a5b0000-0000-4000-8000-000000000009")
    private let row = RecordID("2b000000-0000-4000-8000-000000000001")
    private let finding = RecordID("f1000000-0000-4000-8000-000000000001")

    private static func form(_ version: String, asks remarks: Bool) -> String {
        """
        {"format": 2, "id": "round", "version": "\(version)", "title": "Round", "sections": [
          {"name": "main", "title": "Main", "questions": [
            \(remarks ? #"{"path": "remarks", "label": "Remarks", "type": "text"},"# : "")
            {"path": "seals", "label": "Door seals", "type": "verdict", "list": 0,
             "findingOnFail": true},
            {"begin": "repeat", "path": "pump", "title": "Pump"},
            {"path": "pump/tag", "label": "Tag", "type": "text"},
            {"end": "repeat"}]}],
         "lists": [[{"name": "in", "label": "In", "verdict": "pass"},
                    {"name": "out", "label": "Out", "verdict": "fail"}]]}
        """
    }

    init() throws {
        bench = try StoreBench()
        try bench.withStore { store in
            for form in [Self.form("1", asks: true), Self.form("2", asks: false)] {
                try store.store(form: FormDefinition(json: JSON.parse(Array(form.utf8))))
            }
            try bench.apply(
                [
                    bench.record(
                        "inspection", id.rawValue,
                        [
                            "@form": "round", "@formVersion": "1", "@state": "inProgress",
                            "@title": "Round 1", "seals": "out",
                        ], parent: StoreBench.asset.rawValue)
                ] + parts(), in: store)
            try store.saveDraft("hums\nwhen \u{1b}cold", of: "remarks", in: id)
            try store.saveDraft("P-1 b", of: "pump/tag", in: row)
            try store.saveDraft("torn at", of: "@note", in: finding)
        }
    }

    private func parts(version: Int64 = 1, areDeleted: Bool = false) -> [JSON] {
        [
            bench.record(
                "repeat", row.rawValue,
                [
                    "@form": "round", "@formVersion": "1", "@repeat": "pump", "@order": 1,
                    "pump/tag": "P-1",
                ], parent: id.rawValue, version: version, isDeleted: areDeleted),
            bench.record(
                "finding", finding.rawValue,
                ["@question": "seals", "@severity": "major", "@status": "pending"],
                parent: id.rawValue, version: version, isDeleted: areDeleted),
        ]
    }

    /// Row and finding are deleted elsewhere, and the inspection moves to a version without the question.
    private func strand() throws {
        try bench.withStore { store in
            try bench.apply(parts(version: 2, areDeleted: true), in: store)
            try store.move(id, to: "2")
        }
    }

    @Test("nothing is listed while every text stands at its question")
    func none() throws {
        #expect(try bench.document("drafts").asArray().isEmpty)
        #expect(!(try bench.run("drafts").output.contains("hums")))
        let unknown = try bench.run("drafts", "\(id.rawValue.prefix(8)):remarks")
        #expect(unknown.status == 1)
    }

    @Test("each is listed with its place and why nothing shows it, in words and as JSON")
    func listed() throws {
        try strand()
        let listed = try bench.document("drafts").asArray()
        #expect(
            try listed.map { try $0.string("why") }.sorted() == ["deleted", "deleted", "notAsked"])
        let remarks = try #require(try listed.first { try $0.string("question") == "remarks" })
        #expect(try remarks.string("inspection") == id.rawValue)
        #expect(try remarks.string("text") == "hums\nwhen \u{1b}cold")
        #expect(try remarks.string("why") == "notAsked" && remarks.member("finding") == nil)
        #expect(try remarks.string("recordId") == id.rawValue)
        #expect(try remarks.string("typedAtUtc").hasPrefix("2026-"))
        let note = try #require(try listed.first { try $0.string("recordId") == finding.rawValue })
        #expect(try note.string("question") == "seals" && note.string("finding") == "@note")
        let text = try bench.run("drafts").output
        for words in ["not asked now", "deleted since", "torn at", "P-1 b", "hums when"] {
            #expect(text.contains(words), "\(words)")
        }
        #expect(!text.contains("\u{1b}"))
        #expect(
            try bench.run("status").output.contains("3 texts were typed and not accepted"))
    }

    @Test("one is shown as it was typed, to be entered elsewhere, and thrown away by its name")
    func one() throws {
        try strand()
        let name = "\(id.rawValue.prefix(8)):remarks"
        let shown = try bench.run("drafts", name)
        #expect(shown.status == 0 && shown.output.hasPrefix("hums\nwhen "))
        #expect(!shown.output.contains("\u{1b}"))
        #expect(try bench.document("drafts", name).string("text") == "hums\nwhen \u{1b}cold")
        #expect(try bench.run("drafts", name, "--discard", name).status == 2)
        #expect(try bench.run("drafts", "--discard", "nowhere:remarks").status == 1)
        #expect(try bench.document("drafts").asArray().count == 3)
        let discarded = try bench.document("drafts", "--discard", name)
        #expect(try discarded.string("draft") == name && discarded.bool("discarded"))
        #expect(try bench.document("drafts").asArray().count == 2)
        #expect(try bench.run("drafts", name).status == 1)
        let other = "\(row.rawValue.prefix(8)):pump/tag"
        #expect(try bench.run("drafts", "--discard", other).output == "\(other) is discarded\n")
    }
}
