import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("Editors")
struct EditorTests {
    @Test("several choices are marked with Space and digits, and taken together by Enter")
    func several() throws {
        var story = try Story.pumps()
        story.go(to: "faults")
        story.press(.enter)
        #expect(story.state.place == .marking)
        story.type("3")
        story.press(.character(" "))
        #expect(story.stored("faults") == .null)
        story.press(.enter)
        #expect(story.stored("faults") == .string("leak heat"))
        #expect(story.focus == "order")
        story.go(to: "faults")
        story.press(.enter)
        story.type("1")
        story.press(.escape)
        #expect(story.stored("faults") == .string("heat"))
        #expect(story.state.place == .inspection && story.focus == "faults")
    }

    @Test("what was cut in one answer can be put into another, also after an undo")
    func cut() throws {
        var story = try Story.pumps()
        story.go(to: "site")
        story.press(.enter)
        story.type("Hall 4 north")
        story.press(.control("w"), .control("_"))
        #expect(story.state.layers.top.editor?.line.text == "Hall 4 north")
        story.press(.escape)
        story.go(to: "weather/wind")
        story.press(.enter)
        story.press(.control("y"))
        #expect(story.state.layers.top.editor?.line.text.hasSuffix("north") == true)
    }

    @Test("help shows the keys of the text where text is typed")
    func keysOfText() throws {
        var story = try Story.pumps()
        story.go(to: "site")
        story.press(.enter, .function(1))
        guard case .help(let screen) = story.state.layers.top else {
            Issue.record("no help")
            return
        }
        let subjects = story.state.entries(of: screen).map(\.subject)
        #expect(subjects.contains(.text(.cutWordBefore)) && subjects.contains(.command(.accept)))
    }

    @Test("a digit on a question of several choices opens its list with that one marked")
    func severalByDigit() throws {
        var story = try Story.pumps()
        story.go(to: "faults")
        story.type("2")
        #expect(story.picker?.text == "noise")
    }

    @Test("marks stand in the draft table within a second, and come back after a crash")
    func marksSurvive() throws {
        var story = try Story.pumps()
        story.go(to: "faults")
        story.press(.enter)
        story.type("2")
        story.wait(1_000)
        #expect(story.field.drafts["faults"] == "noise")
        var next = try Story(form: PumpForm.make())
        next.field = story.field
        next.openFreezer()
        #expect(next.focus == "faults")
        next.press(.enter)
        #expect(next.picker?.text == "noise")
        next.press(.enter)
        #expect(next.stored("faults") == .string("noise"))
        #expect(next.field.drafts["faults"] == nil)
    }

    @Test("the list of several choices is filtered after a slash, and its marks stay")
    func filtered() throws {
        var story = try Story.pumps()
        story.go(to: "faults")
        story.press(.enter)
        story.type("1/noi")
        #expect(story.picker?.shown == [1])
        story.press(.enter, .character(" "), .enter)
        #expect(story.stored("faults") == .string("leak noise"))
    }

    @Test("a ranking is put in order by moving a choice up and down")
    func ranking() throws {
        var story = try Story.pumps()
        story.go(to: "order")
        story.press(.enter)
        #expect(story.state.place == .ranking)
        story.press(.down, .down, KeyEvent(.left))
        #expect(story.picker?.text == "a c b")
        story.type("1")
        #expect(story.picker?.text == "c a b")
        story.press(.enter)
        #expect(story.stored("order") == .string("c a b"))
    }

    @Test("a range goes by steps, stays within its limits, and is stored when it is left")
    func range() throws {
        var story = try Story.pumps()
        story.go(to: "weather/wind")
        story.press(KeyEvent(.right))
        #expect(story.state.place == .range)
        #expect(story.screen?.editor?.line.text == "0")
        for _ in 0..<8 { story.press(KeyEvent(.right)) }
        #expect(story.screen?.editor?.line.text == "12")
        story.type("-")
        story.press(.escape)
        #expect(story.stored("weather/wind") == .integer(10))
        story.press(KeyEvent(.left), .enter)
        #expect(story.stored("weather/wind") == .integer(8))
    }

    @Test("a time is typed in digits, or t for now")
    func time() throws {
        var story = try Story.pumps()
        story.go(to: "at")
        story.type("1430")
        story.press(.enter)
        #expect(story.stored("at") == .string("14:30:00"))
        story.go(to: "at")
        story.press(.enter, .control("u"))
        story.type("t")
        story.press(.enter)
        #expect(story.stored("at") == .string("08:00:00"))
    }

    @Test("a statement is acknowledged with one key, and never by a scan")
    func acknowledge() throws {
        var story = try Story.pumps()
        story.go(to: "safe")
        story.scan("000122521")
        #expect(story.stored("safe") == .null)
        story.press(.enter)
        #expect(story.stored("safe") == .string("OK"))
        story.press(.enter)
        #expect(story.stored("safe") == .string("OK"))
        story.press(.delete)
        #expect(story.stored("safe") == .null)
    }

    @Test("U50 a scan is the answer of a barcode question, with one advance")
    func barcode() throws {
        var story = try Story.pumps()
        story.go(to: "pump")
        story.type("a")
        story.scan("*000122521")
        #expect(story.stored(AnswerKey(row: "row1", "pump/tag")) == .string("*000122521"))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
    }

    @Test("what the form calculates is shown, and says that nobody gives it")
    func calculated() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "20")
        story.go(to: AnswerKey(row: "row1", "pump/twice"))
        story.type("5")
        #expect(story.screen?.editor == nil)
        #expect(story.state.notice?.text == "The form fills this in by itself; w says how")
    }

    @Test("an answer that the form's rule refuses stays as a draft, with the author's words")
    func constraint() throws {
        var story = try Story.pumps()
        story.addPump("P-1")
        let key = AnswerKey(row: "row1", "pump/pressure")
        story.go(to: key)
        story.type("400")
        story.press(.enter)
        #expect(story.screen?.editor?.problem == .constraint("no pump stands that"))
        story.press(.escape)
        #expect(story.stored(key) == .null)
        #expect(story.field.drafts[key] == "400")
    }

    @Test("the language goes round through those of the form, also for the next inspection")
    func language() throws {
        var story = try Story.pumps()
        #expect(story.screen?.label(of: "site") == "Site")
        story.type("l")
        #expect(story.screen?.label(of: "site") == "Anlegg")
        #expect(story.screen?.label(of: "faults") == "Faults")
        story.press(.escape, .enter)
        #expect(story.screen?.label(of: "site") == "Anlegg")
        story.press(.function(4))
        #expect(story.screen?.label(of: "site") == "Site")
    }

    @Test("a form in one language says so")
    func oneLanguage() throws {
        var story = try Story()
        story.openFreezer()
        story.type("l")
        #expect(story.state.notice?.text == "This form has one language")
    }

    @Test("why shows the rules of a question and what is hidden beside it, with present answers")
    func why() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "20")
        story.go(to: AnswerKey(row: "row1", "pump/twice"))
        story.type("w")
        guard case .why(let screen) = story.state.layers.top else {
            Issue.record("no reasons")
            return
        }
        let texts = screen.lines.map(\.text)
        #expect(
            texts == [
                "Filled in by the form: ../pressure * 2", "Pressure is 20 bar", "now: 40",
                "Hidden: What is wrong", "Asked only while pump/pressure > 50",
                "Pressure is 20 bar", "now: no",
            ])
        story.press(.escape)
        #expect(story.state.place == .inspection)
    }
}
