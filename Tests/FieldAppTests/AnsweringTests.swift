import Coding
import FieldApp
import Forms
import Inspections
import TerminalKit
import Testing

@Suite("Answering")
struct AnsweringTests {
    @Test("an inspector fills the form with digits, arrows and Enter")
    func wholeJob() throws {
        var story = try Story()
        story.openFreezer()
        #expect(story.focus == "pressure")
        story.type("160,5")
        story.press(.enter)
        #expect(story.stored("pressure") == .double(160.5))
        #expect(story.focus == "leak")
        story.press(.enter, .down, .enter)
        #expect(story.stored("leak") == .string("no"))
        #expect(story.focus == "seals")
        story.type("1")
        #expect(story.stored("seals") == .string("pass"))
        #expect(story.focus == "next")
        story.type("+3d")
        story.press(.enter)
        #expect(story.stored("next") == .string("2026-03-05"))
        story.press(.function(5))
        #expect(story.field.completed == [Story.freezer])
        #expect(story.screen?.picture?.state == .complete)
    }

    @Test("a question that becomes relevant appears at its place, its answer outlives hiding")
    func relevance() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.down)
        story.type("1")
        #expect(story.focus == "rate")
        story.type("7")
        story.press(.enter)
        story.press(.up, .up)
        #expect(story.focus == "leak")
        story.type("2")
        #expect(story.screen?.keys.contains("rate") == false)
        #expect(story.value("rate") == .integer(7))
        story.press(.up)
        story.type("1")
        #expect(story.screen?.keys.contains("rate") == true)
    }

    @Test("each verdict has a key, then the next question follows")
    func verdicts() throws {
        let keys: [(Unicode.Scalar, String)] = [
            ("p", "pass"), ("f", "fail"), ("x", "na"), ("o", "not_observed"),
        ]
        for (key, name) in keys {
            var story = try Story()
            story.openFreezer()
            story.press(.down, .down, .character(key))
            #expect(story.stored("seals") == .string(name))
            #expect(story.focus == "next")
        }
    }

    @Test("the score and what was observed follow each verdict")
    func score() throws {
        let cases: [(Unicode.Scalar, String?)] = [
            ("p", "100 %, 1 of 1 observed"), ("f", "0 %, 1 of 1 observed"),
            ("o", "0 of 1 observed"), ("x", nil),
        ]
        for (key, words) in cases {
            var story = try Story()
            story.openFreezer()
            story.press(.down, .down, .character(key))
            #expect(story.screen?.score.words == words)
        }
    }

    @Test("a digit takes the same choice in the list and in the open picker")
    func digitsInPicker() throws {
        for opens in [false, true] {
            var story = try Story()
            story.openFreezer()
            story.press(.down)
            if opens { story.press(.enter) }
            story.type("2")
            #expect(story.stored("leak") == .string("no"))
            #expect(story.state.place == .inspection)
        }
        var story = try Story()
        story.openFreezer()
        story.press(.down)
        story.type("7")
        #expect(story.value("leak") == .null)
        #expect(story.state.notice?.text == "Leak has 2 choices: 1 to 2")
    }

    @Test("where nothing can be seen, nothing is decided and nothing typed is lost")
    func tooSmall() throws {
        var story = try Story()
        story.openFreezer()
        story.type("1")
        story.send(.resized(Size(columns: 10, rows: 3)))
        story.type("60")
        story.press(.enter, .function(5), .escape)
        #expect(story.state.place == .editor && story.stored("pressure") == .null)
        story.send(.resized(Size(columns: 80, rows: 24)))
        story.press(.enter)
        #expect(story.stored("pressure") == .integer(160))
        story.send(.resized(Size(columns: 10, rows: 3)))
        story.type("1ct")
        #expect(story.value("leak") == .null && story.state.place == .inspection)
        story.press(.function(10))
        #expect(story.field.hasQuit)
    }

    @Test("U50 a scan answers the question that has the focus, advances once and commands nothing")
    func scans() throws {
        var story = try Story()
        story.openFreezer()
        // A number that the field cannot hold stays in the editor, for the person to see.
        story.scan("*00315 box of parts")
        #expect(story.state.place == .editor && story.focus == "pressure")
        #expect(story.stored("pressure") == .null)
        story.press(.escape)
        story.scan("160")
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.focus == "leak")
        story.scan("cpfxoq nts !")
        #expect(story.focus == "leak" && story.value("leak") == .null)
        story.scan("No")
        #expect(story.stored("leak") == .string("no"))
        #expect(story.focus == "seals")
        #expect(story.field.completed.isEmpty && !story.field.hasQuit && story.field.syncs == 0)
    }

    @Test("a scan in the worklist shows what it names")
    func scanInWorklist() throws {
        var story = try Story()
        story.unlock()
        story.scan("CHL-2")
        #expect(story.state.worklist.shown.map(\.name) == ["CHL-2"])
        story.press(.escape)
        #expect(story.state.worklist.shown.count == 2)
    }

    @Test("an answer reads typed until it is on the disk, then saved here")
    func standings() throws {
        var story = try Story()
        story.openFreezer()
        story.holds = true
        story.type("160")
        #expect(story.screen?.standing(of: "pressure") == .typed)
        story.press(.enter)
        #expect(story.value("pressure") == .integer(160))
        #expect(story.screen?.standing(of: "pressure") == .typed)
        story.release()
        #expect(story.screen?.standing(of: "pressure") == .savedHere)
        #expect(story.screen?.savedAt == story.now.wall)
    }

    @Test("undo takes back edit by edit, as edits of their own")
    func undo() throws {
        var story = try Story()
        story.openFreezer()
        story.type("160")
        story.press(.enter, .up)
        story.type("170")
        story.press(.enter, .control("_"))
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.focus == "pressure")
        story.press(.control("_"))
        #expect(story.stored("pressure") == .null)
        story.press(.control("_"))
        #expect(story.state.notice?.text == "Nothing to take back")
    }

    @Test("a complete inspection says how to reopen it, and r does")
    func reopen() throws {
        var story = try Story()
        story.field.inspections[Story.freezer]?.state = .complete
        story.openFreezer()
        story.type("1")
        #expect(story.screen?.editor == nil)
        #expect(story.state.notice?.text.contains("reopen") == true)
        story.type("r")
        #expect(story.screen?.picture?.state == .inProgress)
    }

    @Test("an approved inspection takes no key for an answer")
    func approved() throws {
        var story = try Story()
        story.field.inspections[Story.freezer]?.state = .approved
        story.openFreezer()
        for key in ["1", "p", "c", "r"] { story.type(key) }
        story.press(.enter, .delete, .down, .enter, .down, .enter)
        #expect(!story.effects.contains { if case .answer = $0 { true } else { false } })
    }
}
