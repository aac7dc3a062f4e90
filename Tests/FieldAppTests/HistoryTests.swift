import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit
import Testing

@Suite("The history of the equipment")
struct HistoryTests {
    private static func visit(_ day: String, _ answers: [String: FieldValue]) -> Visit {
        Visit(
            inspection: "of " + day, formVersion: "1", day: day, answers: FormAnswers(answers))
    }

    /// Three visits before this one; the middle one did not read the pressure.
    private static func story() throws -> Story {
        var story = try Story()
        let visits = [
            visit("2026-02-03", ["pressure": .integer(152), "seals": .string("fail")]),
            visit("2026-01-04", ["seals": .string("pass")]),
            visit("2025-12-02", ["pressure": .double(410.5), "seals": .string("fail")]),
        ]
        story.field.visits = visits
        story.field.inspections[Story.freezer]?.visit = visits[0]
        story.openFreezer()
        return story
    }

    private static func shown(_ story: Story) -> [String] {
        guard case .history(let screen) = story.state.layers.top else { return ["no history"] }
        return story.state.readings(of: screen).map { reading in
            [
                reading.isPresent ? "now" : reading.day ?? "", reading.value.plainText,
                reading.changeText ?? "", reading.isBad ? "bad" : "",
            ].joined(separator: "|")
        }
    }

    @Test("a key shows what each visit found at the question, this one included, with the change")
    func readings() throws {
        var story = try Self.story()
        story.press(.character("h"))
        #expect(Self.shown(story) == ["2026-02-03|152|-258.5|", "2025-12-02|410.5||bad"])
        story.press(.escape)
        story.type("160")
        story.press(.enter, .up, .character("h"))
        #expect(
            Self.shown(story)
                == ["now|160|+8|", "2026-02-03|152|-258.5|", "2025-12-02|410.5||bad"])
        story.press(.escape)
        #expect(story.state.place == .inspection && story.focus == "pressure")
    }

    @Test("the arrows turn from question to question that was answered, round at the ends")
    func turning() throws {
        var story = try Self.story()
        story.press(.character("h"), KeyEvent(.right))
        let seals = ["2026-02-03|fail||bad", "2026-01-04|pass||", "2025-12-02|fail||bad"]
        #expect(Self.shown(story) == seals)
        story.press(KeyEvent(.end), KeyEvent(.right))
        #expect(Self.shown(story).count == 2, "the pressure again")
        story.press(KeyEvent(.left))
        #expect(Self.shown(story) == seals)
        guard case .history(let screen) = story.state.layers.top else { return }
        #expect(screen.focus.focused == 0, "a list begins at its newest")
    }

    @Test("asked at a question that nobody had answered, it shows the first that somebody had")
    func unanswered() throws {
        var story = try Self.story()
        story.press(.down, .character("h"))
        #expect(Self.shown(story).first == "2026-02-03|152|-258.5|")
    }

    @Test("without an earlier visit the key says so; one that cannot be read is told")
    func nothing() throws {
        var story = try Story()
        story.openFreezer()
        #expect(story.state.whyDisabled(.history) == "no earlier visit is here")
        story.press(.character("h"))
        #expect(story.state.place == .inspection)

        story = try Self.story()
        story.field.visits = nil
        story.press(.character("h"))
        #expect(story.state.place == .inspection)
        #expect(story.state.notice?.text == "It cannot be read")
    }

    @Test("while the visits are being read no key turns to another question, and Esc leaves")
    func reading() throws {
        var story = try Self.story()
        story.holds = true
        story.press(.character("h"), KeyEvent(.right), .down)
        #expect(Self.shown(story) == [])
        #expect(story.state.whyDisabled(.raise) == "the visits are being read")
        story.press(.escape)
        story.release()
        #expect(story.state.place == .inspection, "what comes late opens nothing")
    }
}
