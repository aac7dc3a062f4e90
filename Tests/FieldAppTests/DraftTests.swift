import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("What is typed is kept")
struct DraftTests {
    @Test("a draft stands on the disk within a second of the last key, and is never an answer")
    func withinASecond() throws {
        var story = try Story()
        story.openFreezer()
        story.type("16")
        story.wait(1_000)
        #expect(story.field.drafts["pressure"] == "16")
        #expect(story.stored("pressure") == .null)
        story.type("0")
        story.press(.enter)
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.field.drafts["pressure"] == nil)
    }

    @Test("someone who never stops typing is saved all the same")
    func whileTyping() throws {
        var story = try Story()
        story.openFreezer()
        for _ in 0..<30 {
            story.type("1")
            story.wait(50)
        }
        #expect((story.field.drafts["pressure"]?.count ?? 0) > 10)
    }

    @Test("leaving a field stores it where its rules allow")
    func leaving() throws {
        let ways: [KeyEvent] = [.escape, .tab, .backTab, .up, .down, .function(7), .function(8)]
        for way in ways {
            var story = try Story()
            story.openFreezer()
            story.type("160")
            story.press(way)
            #expect(story.stored("pressure") == .integer(160), "\(way.name)")
            #expect(story.screen?.editor == nil, "\(way.name)")
        }
    }

    @Test("what cannot be stored stays as a draft, marked; nothing but complete is blocked")
    func invalid() throws {
        var story = try Story()
        story.openFreezer()
        story.type("9999")
        #expect(story.screen?.shownProblem(of: "pressure") == nil)
        story.press(.down)
        #expect(story.focus == "leak")
        #expect(story.stored("pressure") == .null)
        #expect(story.screen?.draft(of: "pressure") == "9999")
        // The reason stays with the draft; the sentence that told it goes with the next key.
        #expect(story.screen?.shownProblem(of: "pressure") == .aboveMaximum(600))
        #expect(story.state.notice?.text == "Pressure must be at most 600 psi; kept as a draft")

        story.press(.function(5))
        #expect(story.field.completed.isEmpty)
        #expect(story.focus == "pressure")
        story.press(.function(8))
        #expect(story.focus == "leak")

        story.press(.up, .enter)
        #expect(story.screen?.editor?.line.text == "9999")
        story.press(.backspace, .enter)
        #expect(story.screen?.editor?.problem == .aboveMaximum(600))
        story.press(.backspace, .enter)
        #expect(story.stored("pressure") == .integer(99))
        #expect(story.screen?.draft(of: "pressure") == nil)
    }

    @Test("completing from inside a field stores it first")
    func completeFromEditor() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.down)
        story.type("2")
        story.type("p")
        story.press(.up, .up, .up)
        #expect(story.focus == "pressure")
        story.type("160")
        story.press(.function(5))
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.field.completed == [Story.freezer])
    }

    @Test("an unusual number is asked about once")
    func unusual() throws {
        var story = try Story()
        story.openFreezer()
        story.type("500")
        story.press(.enter)
        #expect(story.stored("pressure") == .null)
        #expect(story.state.notice?.text.contains("unusual") == true)
        story.press(.enter)
        #expect(story.stored("pressure") == .integer(500))
    }

    @Test("a failed write shows the stored value again and leaves the text in the draft")
    func failedWrite() throws {
        var story = try Story()
        story.openFreezer()
        story.type("150")
        story.press(.enter, .up)
        story.field.refusal = StoreRefusal(.disk, "the disk is full")
        story.type("160")
        story.press(.enter)
        #expect(story.value("pressure") == .integer(150))
        #expect(story.screen?.draft(of: "pressure") == "160")
        #expect(
            story.state.notice?.text
                == "Not saved: the disk is full. What was typed is kept as a draft")
        #expect(story.state.warning == "The disk is full")

        story.field.refusal = nil
        story.press(.up, .up, .enter, .enter)
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.state.warning == nil)
    }

    @Test("a failed write takes no later one with it")
    func laterWrites() throws {
        var story = try Story()
        story.openFreezer()
        story.holds = true
        story.type("150")
        story.press(.enter)
        story.type("2")
        story.press(.up, .up)
        story.type("170")
        story.press(.enter)
        // Three writes wait: pressure 150, leak no, pressure 170. The disk refuses the first.
        story.holds = false
        let waiting = story.held
        story.field.refusal = StoreRefusal(.other, "busy")
        for effect in waiting {
            for message in story.field.perform(effect) { story.send(message) }
            if case .answer = effect { story.field.refusal = nil }
        }
        #expect(story.value("leak") == .string("no"))
        #expect(story.value("pressure") == .integer(170))
        #expect(story.stored("pressure") == .integer(170))
        #expect(story.screen?.writes.isEmpty == true)
    }

    @Test(
        "typed text outlives a refusal that comes when its screen is gone",
        arguments: [KeyEvent.escape, .control("x"), .function(10)])
    func refusedAfterLeaving(leave: KeyEvent) throws {
        var story = try Story()
        story.openFreezer()
        story.holds = true
        story.type("160")
        story.press(.enter, leave)
        story.field.refusal = StoreRefusal(.disk, "the disk is full")
        story.release()
        #expect(story.stored("pressure") == .null)
        #expect(story.field.drafts == ["pressure": "160"])
    }

    @Test("a draft that the disk does not take is tried again until it does")
    func draftTriedAgain() throws {
        var story = try Story()
        story.openFreezer()
        story.field.draftsFail = true
        story.type("900")
        story.wait(1_000)
        #expect(story.state.notice?.text == "The draft could not be stored: the disk is full")
        // Left with a value that breaks a rule: the text is in memory only.
        story.press(.escape)
        story.wait(20_000)
        #expect(story.field.drafts.isEmpty)
        story.field.draftsFail = false
        story.wait(6_000)
        #expect(story.field.drafts == ["pressure": "900"])
        #expect(story.state.unkept.isEmpty)
    }

    @Test("leaving tries once more what the disk did not take, and says what it still does not")
    func lastTry() throws {
        var story = try Story()
        story.openFreezer()
        story.field.refusal = StoreRefusal(.disk, "the disk is full")
        story.field.draftsFail = true
        story.type("160")
        story.press(.enter)
        let end = update(&story.state, .hangUp)
        #expect(end.contains(.draft(Story.freezer, "pressure", text: "160")))
        let losses = end.flatMap { story.field.perform($0) }.compactMap(\.loss)
        #expect(losses == ["What was typed could not be kept: the disk is full"])
    }

    @Test("an answer that is stored and cannot be read back is not called unsaved")
    func storedAndUnread() throws {
        var story = try Story()
        story.openFreezer()
        story.field.readsFailOnce = true
        story.type("160")
        story.press(.enter)
        #expect(story.stored("pressure") == .integer(160))
        #expect(story.value("pressure") == .integer(160))
        #expect(story.screen?.standing(of: "pressure") == .savedHere)
        #expect(story.screen?.writes.isEmpty == true && story.field.drafts.isEmpty)
    }

    @Test("a draft found after a crash is said once and opened for editing")
    func recovered() throws {
        var story = try Story()
        story.field.inspections[Story.freezer]?.drafts["notes"] = "rust on the"
        story.openFreezer()
        #expect(story.state.notice?.text.contains("Recovered") == true)
        #expect(story.screen?.standing(of: "notes") == .typed)
        story.press(.function(8), .function(8), .function(8), .function(8))
        while story.focus != "notes" { story.press(.function(8)) }
        story.press(.enter)
        #expect(story.screen?.editor?.line.text == "rust on the")
        story.type(" hinge")
        story.press(.enter)
        #expect(story.stored("notes") == .string("rust on the hinge"))
    }

    @Test("undo brings a draft back that a digit has replaced")
    func draftReplaced() throws {
        var story = try Story()
        story.openFreezer()
        story.type("9999")
        story.press(.down, .up)
        story.type("5")
        story.press(.down)
        #expect(story.stored("pressure") == .integer(5) && story.field.drafts.isEmpty)
        story.press(.up, .control("_"))
        #expect(story.stored("pressure") == .null)
        #expect(story.screen?.draft(of: "pressure") == "9999")
    }

    @Test("opening an answer and typing nothing is not typing")
    func openedOnly() throws {
        var story = try Story()
        story.openFreezer()
        story.type("150")
        story.press(.enter, .up, .enter)
        #expect(story.state.place == .editor)
        #expect(story.screen?.standing(of: "pressure") == .savedHere)
        story.type("1")
        #expect(story.screen?.standing(of: "pressure") == .typed)
    }

    @Test("a draft goes only after a question, and the stored answer stays")
    func discard() throws {
        var story = try Story()
        story.openFreezer()
        story.type("150")
        story.press(.enter, .up)
        story.type("9999")
        story.press(.escape, .function(3))
        story.wait(1_000)
        story.press(.enter)
        #expect(story.screen?.draft(of: "pressure") == "9999")
        story.press(.function(3))
        story.wait(1_000)
        story.type("y")
        #expect(story.screen?.draft(of: "pressure") == nil)
        #expect(story.stored("pressure") == .integer(150))
    }

    @Test("hanging up and quitting save what is being typed, and ask nothing")
    func hangUp() throws {
        var story = try Story()
        story.openFreezer()
        story.type("16")
        story.send(.hangUp)
        #expect(story.field.drafts["pressure"] == "16")
        #expect(story.field.hasQuit)

        var other = try Story()
        other.openFreezer()
        other.type("16")
        other.press(.function(10))
        #expect(other.field.drafts["pressure"] == "16")
        #expect(other.field.hasQuit)
    }

    @Test("U18 a paste is one change, no command, and undo takes it back in one step")
    func paste() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.down, .down, .down, .down)
        #expect(story.focus == "notes")
        story.paste("s\nt\nd\n")
        #expect(story.screen?.editor == nil)
        story.press(.enter)
        story.type("a ")
        story.paste("q\nd\ny\n")
        #expect(story.screen?.editor?.line.text == "a q\nd\ny\n")
        story.press(.control("_"))
        #expect(story.screen?.editor?.line.text == "a ")
    }

    @Test("U18 in a field of one line a paste is joined, accepts nothing and is undone at once")
    func pasteIntoOneLine() throws {
        var story = try Story.pumps()
        story.go(to: "site")
        story.press(.enter)
        story.type("Hall ")
        story.paste("a\nq\nd\n")
        #expect(story.screen?.editor?.line.text == "Hall a q d ")
        #expect(story.focus == "site" && story.stored("site") == .null)
        story.press(.control("_"))
        #expect(story.screen?.editor?.line.text == "Hall ")
    }

    @Test("U35 an answer in Hebrew or Arabic is stored as it was typed, scalar by scalar")
    func rightToLeft() throws {
        let typed = "\u{2067}מקרר\u{2069} مَرْحَبًا \u{200F}12"
        var story = try Story.pumps()
        story.go(to: "site")
        story.press(.enter)
        story.type(typed)
        story.press(.enter)
        guard case .string(let stored) = story.stored("site") else {
            Issue.record("nothing is stored")
            return
        }
        #expect(Array(stored.utf8) == Array(typed.utf8))
    }

    @Test("what is being edited is held against what is fetched meanwhile")
    func held() throws {
        var story = try Story()
        story.openFreezer()
        story.type("1")
        #expect(story.field.held == ["pressure"])
        story.press(.escape)
        #expect(story.field.held.isEmpty)
        story.press(.down, .enter)
        #expect(story.field.held == ["leak"])
        story.press(.escape)
        #expect(story.field.held.isEmpty)
        story.press(.enter, .enter)
        #expect(story.field.held.isEmpty)
        story.press(.up, .up)
        story.type("2")
        story.send(.lockDemanded)
        #expect(story.field.held.isEmpty)
        #expect(story.field.drafts["pressure"] == "12" || story.field.drafts["pressure"] == "2")
    }
}
