import FieldApp
import TerminalKit
import Testing

@Suite("The line that completes")
struct CompletionLineTests {
    private static func filled() throws -> Story {
        var story = try Story()
        story.openFreezer()
        story.type("160")
        story.press(.enter)
        story.type("2")
        story.type("p")
        return story
    }

    @Test("stands at the end of an open inspection, and Enter on it completes")
    func completes() throws {
        var story = try Self.filled()
        story.press(KeyEvent(.end))
        #expect(story.focus != .completion, "the last question")
        story.press(.down)
        #expect(story.focus == .completion)
        story.press(.enter)
        #expect(story.field.completed == [Story.freezer])
        #expect(story.screen?.keys.contains(.completion) == false, "it is complete")
    }

    @Test("no answer leads to it: an Enter too many at the last question completes nothing")
    func twice() throws {
        var story = try Self.filled()
        while story.focus != "notes" { story.press(.down) }
        story.press(.enter)
        story.type("quiet")
        story.press(.enter, .enter, .enter)
        #expect(story.field.completed.isEmpty)
        #expect(story.focus == "notes")
    }

    @Test("with something missing it goes there and says what")
    func missing() throws {
        var story = try Story()
        story.openFreezer()
        story.press(KeyEvent(.end), .down, .enter)
        #expect(story.field.completed.isEmpty)
        #expect(story.focus == "pressure")
        #expect(story.state.notice?.text.contains("Not complete yet") == true)
    }

    @Test("keys that answer do nothing on it, and say why")
    func others() throws {
        var story = try Self.filled()
        let before = story.field.inspections
        story.press(KeyEvent(.end), .down)
        story.type("p5ykmh")
        story.scan("4006381333931")
        story.press(KeyEvent(.delete), KeyEvent(.right))
        #expect(story.field.inspections == before && story.focus == .completion)
    }
}
