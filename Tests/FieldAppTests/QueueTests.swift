import Coding
import FieldApp
import Forms
import Replication
import TerminalKit
import Testing

@Suite("The status pane")
struct QueueTests {
    static func story() throws -> Story {
        var story = try Story()
        story.field.rows = [
            QueueRow(id: "m1", record: Story.freezer, name: "FRZ-1", badge: .pending),
            QueueRow(
                id: "m2", record: Story.freezer, name: "FRZ-1", badge: .failed,
                reason: "out of reach", tries: 5),
            QueueRow(
                id: "m3", record: "new", name: "NEW-9", badge: .failed, createsRecord: true),
            QueueRow(id: "m4", record: Story.freezer, name: "FRZ-1", badge: .conflict),
        ]
        story.unlock()
        story.type("t")
        return story
    }

    @Test("a change that only the journal has is told with each unlocking, and once")
    func offered() throws {
        var story = try Story()
        story.field.offered = 1
        story.unlock()
        let words = "1 change is in the journal alone, neither shown nor sent: 'walkdown doctor'"
        #expect(story.state.notice?.text == words)
        story.press(.down)
        story.type("t")
        #expect(story.state.notice == nil)
        story.send(.lockDemanded)
        story.unlock()
        #expect(story.state.notice?.text == words)
    }

    @Test("F01 saved changes that are missing since damage are told with each unlocking")
    func missing() throws {
        var story = try Story()
        story.field.missing = 2
        story.unlock()
        let words = "2 saved changes are missing since damage: 'walkdown doctor'"
        #expect(story.state.notice?.text == words)
        story.press(.down)
        story.send(.lockDemanded)
        story.unlock()
        #expect(story.state.notice?.text == words)
    }

    @Test("what was typed in a row that is deleted elsewhere is told once, read, and discarded")
    func stranded() throws {
        var story = try Story()
        story.unlock()
        var row = QueueRow(
            id: "draft row door/tag", record: "row", name: "FRZ-1", badge: .failed,
            isInspection: false, fields: ["door/tag"])
        row.stranded = StrandedText(record: "row", field: "door/tag", text: "D-1 is rusty")
        story.field.rows = [row]
        var picture = StatusPicture()
        picture.rows = [row]
        story.send(.status(picture))
        #expect(story.state.notice?.text.hasPrefix("What was typed in FRZ-1") == true)
        story.type("t")
        let screen = Self.text(of: story)
        #expect(screen.contains("D-1 is rusty") && screen.contains("typed, deleted since"))
        story.type("r")
        #expect(story.state.notice?.text.hasPrefix("This text was never sent") == true)
        story.type("d")
        story.wait(Confirmation.quiet)
        story.type("y")
        #expect(story.effects.contains(.draft("row", AnswerKey("door/tag"), text: nil)))
    }

    @Test(
        "a text that has no place any more is taken along knowingly, and stays until it is discarded"
    )
    func copied() throws {
        var story = try Story()
        story.unlock()
        var row = QueueRow(
            id: "draft remarks", record: Story.freezer, name: "FRZ-1", badge: .failed,
            isInspection: false, fields: ["remarks"])
        row.inspection = Story.freezer
        row.stranded = StrandedText(
            record: Story.freezer, field: "remarks", text: "hums when cold", question: "notes")
        row.stranded?.isOnlyNotAsked = true
        story.field.rows = [row]
        story.type("t")
        #expect(Self.text(of: story).contains("typed, not asked now"))
        story.type("c")
        #expect(story.state.place == .inspection && story.focus == "notes")
        story.press(.enter, .control("y"), .enter)
        #expect(story.stored("notes") == .string("hums when cold"))
        #expect(story.field.rows == [row] && story.field.draftsDropped == 0)

        var other = try Self.story()
        other.type("c")
        #expect(other.state.notice?.text == "Only a text without a place is copied")
    }

    private static func text(of story: Story) -> String {
        var scroll = Scroll()
        return TextFrame.text(
            render(
                story.state, size: Size(columns: 80, rows: 24),
                look: Look(tier: .ascii, theme: .mono), scroll: &scroll))
    }

    @Test("only a failed row is retried, others say why not")
    func retry() throws {
        var story = try Self.story()
        story.type("r")
        #expect(story.field.retried.isEmpty)
        #expect(story.state.notice?.text == "Only a failed row is retried or discarded")
        story.press(.down)
        story.type("r")
        #expect(story.field.retried == ["m2"])
    }

    @Test("a question about discarding says where a bundle may bring the change back")
    func bundled() throws {
        var story = try Story()
        var row = QueueRow(id: "m2", record: Story.freezer, name: "FRZ-1", badge: .failed)
        row.isInBundle = true
        story.field.rows = [row]
        story.unlock()
        story.type("t")
        story.type("d")
        guard case .confirm(let question) = story.state.layers.top else {
            Issue.record("nothing is asked")
            return
        }
        #expect(question.consequence.hasSuffix("imported later, that brings it back."))
    }

    @Test("discard asks; Enter, the same key, any other key and Esc keep everything")
    func safe() throws {
        let refusals: [KeyEvent] = [
            .enter, .character("d"), .character("n"), .character(" "), .escape, .down,
        ]
        for key in refusals {
            var story = try Self.story()
            story.press(.down)
            story.type("d")
            #expect(story.state.place == .confirm)
            story.wait(1_000)
            story.press(key)
            #expect(story.field.discarded.isEmpty, "\(key.name)")
            #expect(story.state.place == .status, "\(key.name)")
        }
    }

    @Test("what was typed ahead confirms nothing; after a pause y does")
    func typeAhead() throws {
        var story = try Self.story()
        story.press(.down)
        story.type("dyyyyyyyyyyyyyyyyyyyy")
        #expect(story.field.discarded.isEmpty)
        #expect(story.effects.contains(.flushInput))
        story.wait(Confirmation.quiet)
        story.type("y")
        #expect(story.field.discarded == ["m2"])
    }

    @Test("a record that the server never had goes only by its name, typed")
    func byName() throws {
        var story = try Self.story()
        story.press(.down, .down)
        story.type("d")
        story.wait(1_000)
        story.type("y")
        #expect(story.field.discarded.isEmpty)
        story.press(.backspace)
        story.type("NEW-")
        story.press(.enter)
        #expect(story.field.discarded.isEmpty)

        story.type("d")
        story.wait(1_000)
        story.type("NEW-9")
        story.press(.enter)
        #expect(story.field.discarded == ["m3"])
    }

    @Test("Enter opens the inspection, or its conflict")
    func open() throws {
        var story = try Self.story()
        story.press(.enter)
        #expect(story.state.place == .inspection)
        story.press(.escape, .down, .down, .down)
        story.field.conflicts[Story.freezer] = ReviewTests.picture
        story.press(.enter)
        #expect(story.state.place == .review)
    }

    @Test("opening an inspection that is open further down takes it from there")
    func sameInspection() throws {
        var story = try Self.story()
        story.press(.escape)
        story.state.worklist.focus.focus(Story.freezer)
        story.press(.enter)
        story.type("160")
        story.press(.enter)
        story.type("t")
        story.press(.enter)
        #expect(story.focus == "leak")
        let open = story.state.layers.layers.filter {
            if case .inspection = $0 { true } else { false }
        }
        #expect(open.count == 1)
        story.press(.escape)
        #expect(story.state.place == .status)
    }
}

@Suite("The conflict review")
struct ReviewTests {
    static let picture = ConflictPicture(
        id: Story.freezer, name: "FRZ-1",
        fields: [
            ConflictField(
                path: "seals", question: Question(path: "seals", label: "Seals", type: .verdict),
                base: .null, mine: .string("pass"), theirs: .string("fail"), theirsBy: "Kim"),
            ConflictField(
                path: "notes",
                question: Question(path: "notes", label: "Notes", type: .text(multiline: true)),
                base: .string("a"), mine: .string("b"), theirs: .string("c")),
        ])

    static func story() throws -> Story {
        var story = try Story()
        story.field.conflicts[Story.freezer] = picture
        story.field.inspections[Story.freezer]?.conflicts = [Story.freezer]
        story.openFreezer()
        story.type("v")
        return story
    }

    @Test("each answer is decided by its key, and the last decision settles all")
    func decide() throws {
        var story = try Self.story()
        #expect(story.state.place == .review)
        story.type("m")
        #expect(story.field.resolved.isEmpty)
        story.type("t")
        #expect(story.field.resolved[Story.freezer] == ["seals": .mine, "notes": .theirs])
        #expect(story.state.place == .inspection)
        #expect(story.state.notice?.text == "Settled")
        #expect(story.field.held.isEmpty)
    }

    @Test("what is given up and may stand in a bundle is told", arguments: ["mt", "mm"])
    func bundled(keys: String) throws {
        var story = try Story()
        var picture = Self.picture
        picture.isInBundle = true
        story.field.conflicts[Story.freezer] = picture
        story.field.inspections[Story.freezer]?.conflicts = [Story.freezer]
        story.openFreezer()
        story.type("v" + keys)
        let text = try #require(story.state.notice?.text)
        #expect(text.contains("bundle") == (keys == "mt"))
    }

    @Test("a third value is typed, or chosen from what the question offers")
    func edit() throws {
        var story = try Self.story()
        story.type("e")
        #expect(story.state.place == .picker)
        story.type("not obs")
        story.press(.enter)
        #expect(story.state.place == .review)
        story.type("e")
        #expect(story.state.place == .resolution)
        story.type(" and c")
        story.press(.enter)
        #expect(
            story.field.resolved[Story.freezer] == [
                "seals": .edited(.string("not_observed")), "notes": .edited(.string("b and c")),
            ])
    }

    @Test("a third value that was begun and left is there again")
    func leftAndBack() throws {
        var story = try Self.story()
        story.press(.down)
        story.type("e")
        story.type(" and c")
        story.press(.escape)
        #expect(story.field.resolved.isEmpty)
        story.type("e")
        guard case .review(let screen) = story.state.layers.top else { return }
        #expect(screen.editor?.line.text == "b and c")
    }

    @Test("a value that came in just before the last key is shown, not decided about")
    func changedUnderTheKey() throws {
        var story = try Self.story()
        story.type("m")
        story.field.conflicts[Story.freezer]?.fields[1].theirs = .string("newer")
        story.type("t")
        #expect(story.field.resolved.isEmpty)
        guard case .review(let screen) = story.state.layers.top else { return }
        #expect(screen.decisions == ["seals": .mine] && !screen.isSettling)
        #expect(screen.picture?.field("notes")?.theirs == .string("newer"))
        story.press(.down)
        story.type("t")
        #expect(story.field.resolved[Story.freezer] == ["seals": .mine, "notes": .theirs])
    }

    @Test("what was decided stands when one leaves a review and comes back, until it changes")
    func decidedAndLeft() throws {
        var story = try Self.story()
        story.type("m")
        story.press(.escape)
        story.type("v")
        guard case .review(let screen) = story.state.layers.top else { return }
        #expect(screen.decisions == ["seals": .mine])
        #expect(story.field.resolved.isEmpty)
        story.press(.escape)
        story.field.conflicts[Story.freezer]?.fields[0].theirs = .string("not_observed")
        story.type("v")
        guard case .review(let changed) = story.state.layers.top else { return }
        #expect(changed.decisions.isEmpty)
    }

    @Test("a third value is a draft within a second, also over a lock, until it has served")
    func draftOfThird() throws {
        var story = try Self.story()
        story.press(.down)
        story.type("e")
        story.type(" and c")
        story.wait(1_000)
        #expect(story.field.drafts == ["notes": "b and c"])
        story.send(.lockDemanded)
        var kept = Self.picture
        kept.fields[1].draft = story.field.drafts["notes"]
        story.field.conflicts[Story.freezer] = kept
        story.unlock()
        if story.state.place == .inspection { story.type("v") }
        story.press(.down)
        story.type("e")
        #expect(story.state.layers.top.editor?.line.text == "b and c")
        story.press(.enter)
        story.press(.up)
        story.type("m")
        #expect(story.field.resolved[Story.freezer]?["notes"] == .edited(.string("b and c")))
        #expect(story.field.drafts.isEmpty)
    }

    @Test("a value that nobody saw is not decided about")
    func changedMeanwhile() throws {
        var story = try Self.story()
        story.type("m")
        var later = Self.picture
        later.fields[0].theirs = .string("na")
        story.field.conflicts[Story.freezer] = later
        story.send(.sync(.changed))
        story.press(.down)
        story.type("m")
        #expect(story.field.resolved.isEmpty)
        #expect(story.state.notice?.text == "1 more to decide")
        story.type("t")
        #expect(story.field.resolved[Story.freezer]?["seals"] == .theirs)
    }

    @Test("a conflict that a supervisor settled meanwhile closes the review")
    func gone() throws {
        var story = try Self.story()
        story.field.conflicts = [:]
        story.send(.sync(.changed))
        #expect(story.state.place == .inspection)
    }

    @Test("the fields are held while they are shown")
    func held() throws {
        var story = try Self.story()
        #expect(story.field.held == ["seals", "notes"])
        story.press(.escape)
        #expect(story.field.held.isEmpty)
        #expect(story.field.resolved.isEmpty)
    }
}
