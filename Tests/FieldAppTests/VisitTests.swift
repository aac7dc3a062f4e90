import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit
import Testing

@Suite("The last visit")
struct VisitTests {
    private static func story(_ answers: [String: FieldValue]) throws -> Story {
        var story = try Story()
        story.field.inspections[Story.freezer]?.visit = Visit(
            inspection: "before", formVersion: "1", day: "2026-02-03",
            answers: FormAnswers(answers))
        story.openFreezer()
        return story
    }

    @Test("F58 a key takes the last visit's answer over, nothing does so by itself, and undo works")
    func taking() throws {
        var story = try Self.story(["pressure": .integer(152), "leak": .string("no")])
        #expect(story.value("pressure") == .null, "showing it answers nothing")
        #expect(story.screen?.previous(at: AnswerKey("pressure"))?.day == "2026-02-03")
        story.press(.character("y"))
        #expect(story.stored("pressure") == .integer(152))
        #expect(
            story.state.notice?.text
                == "Pressure: took over 152 psi on 2026-02-03; Ctrl-_ takes it back")
        #expect(story.focus == "leak")
        story.press(.character("y"))
        #expect(story.stored("leak") == .string("no"))
        story.press(.control("_"), .control("_"))
        #expect(story.value("leak") == .null && story.value("pressure") == .null)
    }

    @Test("the key says why there is nothing to take over")
    func nothingToTake() throws {
        var story = try Self.story(["pressure": .integer(900), "leak": .string("no")])
        #expect(
            story.state.whyDisabled(.takePrevious)
                == "what the last visit found must be at most 600 psi")
        story.press(.character("y"))
        #expect(story.value("pressure") == .null)
        story.press(.down, .character("y"), .up)
        #expect(story.state.whyDisabled(.takePrevious) == "that is the answer already")
        story.press(.down)
        #expect(
            story.state.whyDisabled(.takePrevious) == "the last visit has no answer to this")
    }

    @Test("an item that fails again is counted in the score, until it passes")
    func repeatViolation() throws {
        var story = try Self.story(["seals": .string("fail")])
        story.press(.down, .down, .character("f"))
        #expect(story.screen?.score.repeated == [AnswerKey("seals")])
        #expect(story.screen?.previous(at: AnswerKey("seals"))?.isRepeatViolation == true)
        story.press(.up, .character("p"))
        #expect(story.screen?.score.repeated == [])
    }
}
