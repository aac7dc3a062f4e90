import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("Long lists of choices")
struct LongListTests {
    private static let count = 50_000

    private func villages() throws -> Story {
        let choices = (0..<Self.count).map {
            Choice(name: "v\($0)", label: "Village \($0) \($0 % 7 == 0 ? "Øvre" : "nedre")")
        }
        let form = try FormDefinition(
            id: "census", version: "1", title: "Census",
            sections: [
                Section(
                    name: "place", title: "Place",
                    questions: [
                        Question(
                            path: "village", label: "Village", type: .choice, choices: choices)
                    ])
            ])
        var story = try Story(form: form)
        story.openFreezer()
        story.press(.enter)
        return story
    }

    @Test("F46 50,000 choices narrow with each key, and widen again")
    func narrow() throws {
        var story = try villages()
        #expect(story.picker?.shown.count == Self.count)
        story.type("49 ØVRE")
        let narrowed = try #require(story.picker)
        let expected = (0..<Self.count).filter { $0 % 7 == 0 && "\($0)".contains("49") }
        #expect(narrowed.shown == expected)
        for _ in 0..<5 { story.press(.backspace) }
        #expect(story.picker?.shown == (0..<Self.count).filter { "\($0)".contains("49") })
        story.type("999")
        #expect(story.picker?.shown == [49_999])
        story.press(.enter)
        #expect(story.stored("village") == .string("v49999"))
    }

    @Test("a frame draws what is in view, wherever the focus is")
    func frame() throws {
        var story = try villages()
        var scroll = Scroll()
        let look = Look(tier: .ascii, theme: .mono)
        let size = Size(columns: 40, rows: 20)
        story.send(.resized(size))
        story.press(.down, .down)
        var lines = TextFrame.text(render(story.state, size: size, look: look, scroll: &scroll))
        #expect(lines.contains("> Village 2 nedre"))
        for _ in 0..<30 { story.press(KeyEvent(.pageDown)) }
        lines = TextFrame.text(render(story.state, size: size, look: look, scroll: &scroll))
        #expect(lines.contains("> Village 422 nedre"))
    }
}
