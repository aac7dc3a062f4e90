import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("The person's own editor")
struct OutsideTests {
    private func typing(in path: AnswerKey, _ text: String) throws -> Story {
        var story = try Story()
        story.state.hasOutsideEditor = true
        story.openFreezer()
        while story.focus != path { story.press(.down) }
        story.press(.enter)
        story.type(text)
        return story
    }

    @Test("U53 a long text goes out as it stands, comes back as one change, and undo takes it back")
    func text() throws {
        var story = try typing(in: "notes", "rust")
        story.press(.control("o"))
        #expect(story.effects.last == .editOutside(text: "rust"))
        story.send(.editedOutside(OutsideEdit(text: "rust\non the hinge")))
        #expect(story.screen?.editor?.line.text == "rust\non the hinge")
        story.wait(1_000)
        #expect(story.field.drafts["notes"] == "rust\non the hinge")
        story.press(.control("_"))
        #expect(story.screen?.editor?.line.text == "rust")
        story.send(.editedOutside(OutsideEdit(text: "again")))
        story.press(.enter)
        #expect(story.stored("notes") == .string("again"))
    }

    @Test("U53 what the editor did not give leaves the text as it was, and is said")
    func refused() throws {
        var story = try typing(in: "notes", "rust")
        story.press(.control("o"))
        story.send(.editedOutside(OutsideEdit(text: nil, notice: "The editor ended with 1")))
        #expect(story.screen?.editor?.line.text == "rust")
        #expect(story.state.notice?.text == "The editor ended with 1")
    }

    @Test("a short answer, and a person without an editor, are told why not")
    func disabled() throws {
        var story = try typing(in: "pressure", "16")
        story.press(.control("o"))
        #expect(story.state.notice?.text == "This answer has one line")
        var other = try typing(in: "notes", "rust")
        other.state.hasOutsideEditor = false
        other.press(.control("o"))
        #expect(other.state.notice?.text == "Neither VISUAL nor EDITOR names an editor")
        let asked = other.effects.contains { effect in
            if case .editOutside = effect { true } else { false }
        }
        #expect(!asked)
    }
}
