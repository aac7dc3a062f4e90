import Coding
import Testing

@testable import Forms

@Suite("Where an answer stands, as people write it")
struct AnswerAddressTests {
    @Test("Names, numbers from 1 and + for a new row are read")
    func read() throws {
        let address = try #require(AnswerAddress("house/room[2]/window[+]/width"))
        #expect(address.path == "house/room/window/width")
        #expect(address.parts.map(\.place) == [nil, .number(2), .new, nil])
        #expect(AnswerAddress("notes")?.parts == [.init(name: "notes", place: nil)])
    }

    @Test(
        "Whatever else is no address",
        arguments: [
            "", "/", "a//b", "a/", "a[0]", "a[-1]", "a[]", "a[x]", "a[1", "a[1]b", "[1]/b",
            "a[1][2]", "a[9999999]",
        ])
    func refused(text: String) {
        #expect(AnswerAddress(text) == nil)
    }

    private func filling() throws -> FormFilling {
        var parts = FormParts(id: "houses", version: "1", title: "Houses")
        let window = Repetition(
            path: "room/window",
            items: [
                .question(Question(path: "room/window/width", label: "Width", type: .decimal))
            ])
        let room = Repetition(
            path: "room", text: FormText("Room"), count: try FormExpression("/data/rooms"),
            items: [
                .question(Question(path: "room/name", label: "Name", type: .barcode)),
                .repetition(window),
            ])
        parts.sections = [
            Section(
                name: "main", text: FormText("Main"),
                items: [
                    .question(Question(path: "rooms", label: "Rooms", type: .integer)),
                    .repetition(room),
                ])
        ]
        return FormFilling(try FormDefinition(parts), in: .looking(at: 0))
    }

    @Test("An answer in a row in a row says both numbers, and a row its name")
    func addresses() throws {
        var filling = try filling()
        for id in ["a", "b"] { _ = filling.add(FormAnswers.Row(id: id, path: "room")) }
        for id in ["c", "d"] {
            _ = filling.add(FormAnswers.Row(id: id, parent: "b", path: "room/window"))
        }
        let width = AnswerKey(row: "d", "room/window/width")
        #expect(filling.address(of: width) == "room[2]/window[2]/width")
        #expect(filling.address(of: AnswerKey("rooms")) == "rooms")
        #expect(filling.name(ofRow: "a") == "Room 1")
        filling.set(.string("Hall"), at: AnswerKey(row: "b", "room/name"))
        #expect(filling.name(ofRow: "b") == "Room 2: Hall")
        #expect(!filling.isFilled(row: "a"))
        filling.set(.integer(1), at: width)
        filling.set(.null, at: AnswerKey(row: "b", "room/name"))
        #expect(filling.isFilled(row: "b"), "what stands in a row is its own")
    }

    @Test("A count makes and takes rows when it changes, and leaves them alone when it does not")
    func counts() throws {
        var filling = try filling()
        var ids = 0
        let next = { (place: RepeatPlace, number: Int) in
            ids += 1
            #expect(place == RepeatPlace("room") && number == ids)
            return "row-\(ids)"
        }
        let before = filling.wantedRows
        #expect(before == [RepeatPlace("room"): 0])
        filling.set(.integer(2), at: AnswerKey("rooms"))
        try filling.followCounts(since: before, mayRemove: false, newID: next)
        #expect(filling.answers.rows.map(\.id) == ["row-1", "row-2"])
        let two = filling.wantedRows
        _ = filling.remove(row: "row-1")
        try filling.followCounts(since: two, mayRemove: false, newID: next)
        #expect(filling.answers.rows.map(\.id) == ["row-2"])
        filling.set(.string("Hall"), at: AnswerKey(row: "row-2", "room/name"))
        filling.set(.null, at: AnswerKey("rooms"))
        do {
            try filling.followCounts(since: two, mayRemove: false, newID: next)
            Issue.record("a row with an answer went")
        } catch {
            #expect(error == .removesRows(["row-2"]))
        }
        try filling.followCounts(since: two, mayRemove: true, newID: next)
        #expect(filling.answers.rows.isEmpty)
    }
}
