import FieldApp
import Replication
import TerminalKit
import Testing

@Suite("Beginning an inspection")
struct BeginTests {
    private static func story() throws -> Story {
        var story = try Story()
        story.field.beginnings = Beginnings(
            forms: [
                .init(id: "audit", version: "3", title: "Audit"),
                .init(id: "round", version: "2", title: "Round"),
            ],
            equipment: [
                .init(id: "pump", name: "PMP-1", site: "Depot"),
                .init(id: "a", name: "Unit a", site: "Harbour"),
                .init(id: "b", name: "Unit b", site: "Harbour"),
            ])
        story.unlock()
        var row = WorklistTests.row("a", site: "Harbour", due: nil)
        row.formID = "round"
        story.send(.worklist([row]))
        return story
    }

    private static func screen(_ story: Story) -> BeginScreen? {
        guard case .begin(let screen) = story.state.layers.top else { return nil }
        return screen
    }

    @Test("the same form again: a, Enter, and the equipment; then it is open")
    func sameAgain() throws {
        var story = try Self.story()
        story.type("a")
        #expect(Self.screen(story)?.focus.focused == .form("round"))
        story.press(.enter)
        #expect(Self.screen(story)?.focus.focused == .equipment("a"))
        story.press(.down, .enter)
        #expect(story.field.begun == ["round 2 b"])
        #expect(story.screen?.id == "begun1")
        story.press(.escape)
        #expect(story.state.place == .worklist)
    }

    @Test("typing narrows forms and equipment; letters are no commands there")
    func narrowed() throws {
        var story = try Self.story()
        story.type("aaud")
        story.press(.enter)
        story.type("no eq")
        #expect(Self.screen(story)?.offers == [.nothing])
        story.press(.enter)
        #expect(story.field.begun == ["audit 3 -"])
    }

    @Test("what fits nothing begins nothing, and Esc goes back step by step")
    func nothing() throws {
        var story = try Self.story()
        story.type("a")
        story.press(.enter)
        story.type("zebra")
        story.press(.enter)
        #expect(story.state.notice?.text == "Nothing fits what was typed")
        story.press(.escape)
        #expect(Self.screen(story)?.focus.focused == .form("round"))
        story.press(.escape)
        #expect(story.state.place == .worklist && story.field.begun.isEmpty)
    }

    @Test("one Enter too many begins no second one, also where the store is slow")
    func twice() throws {
        var story = try Self.story()
        story.type("a")
        story.press(.enter)
        story.holds = true
        story.press(.enter, .enter, .enter)
        story.release()
        #expect(story.field.begun.count == 1)
        #expect(story.screen?.id == "begun1")
    }

    @Test("who has gone on meanwhile is not taken from what he types")
    func goneOn() throws {
        var story = try Self.story()
        story.type("a")
        story.press(.enter)
        story.holds = true
        story.press(.enter, .escape, .escape)
        story.send(.inspection(try #require(story.field.inspections[Story.freezer])))
        story.holds = false
        story.state.worklist.replace([WorklistTests.row("freezer-inspection", site: "", due: nil)])
        story.press(.enter)
        story.type("16")
        story.release()
        #expect(story.field.begun.count == 1)
        #expect(story.screen?.id == Story.freezer && story.screen?.editor?.line.text == "16")
        #expect(story.state.notice?.text == "The new inspection is in the worklist")
    }

    @Test("what the store refuses is said, and what was chosen stands there still")
    func refused() throws {
        var story = try Self.story()
        story.field.refusal = StoreRefusal(.queueFull, "the queue is full")
        story.type("a")
        story.press(.enter, .enter)
        #expect(story.state.notice?.text == "The queue is full")
        #expect(story.state.warning == "The queue is full")
        #expect(Self.screen(story)?.form?.id == "round")
        story.field.refusal = nil
        story.press(.enter)
        #expect(story.field.begun == ["round 2 a"])
    }

    @Test("a device without forms says what to do")
    func empty() throws {
        var story = try Story()
        story.unlock()
        story.type("a")
        story.press(.enter)
        #expect(story.field.begun.isEmpty)
        var scroll = Scroll()
        let canvas = render(
            story.state, size: Size(columns: 40, rows: 20), look: Look(tier: .ascii, theme: .mono),
            scroll: &scroll)
        #expect(TextFrame.text(canvas).contains("s fetches"))
    }
}
