import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("Rows of a repeat")
struct RowTests {
    @Test("a row is added with one key, opened, answered, and left for the list of rows")
    func add() throws {
        var story = try Story.pumps()
        story.go(to: "pump")
        story.type("a")
        #expect(story.screen?.row == "row1")
        #expect(story.focus == AnswerKey(row: "row1", "pump/tag"))
        story.scan("P-17")
        #expect(story.stored(AnswerKey(row: "row1", "pump/tag")) == .string("P-17"))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
        story.type("12")
        story.press(.enter)
        #expect(story.stored(AnswerKey(row: "row1", "pump/twice")) == .integer(24))
        story.press(.escape)
        #expect(story.state.place == .rows)
        story.press(.escape)
        #expect(story.state.place == .inspection && story.screen?.row == nil)
        #expect(story.focus == "pump")
    }

    @Test("Enter on the line of a repeat lists its rows by name; Enter on one opens it")
    func list() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "10")
        story.addPump("P-2", "20")
        #expect(story.rowNames == ["Pump 1: P-1", "Pump 2: P-2"])
        story.press(.enter, .down, .enter)
        #expect(story.screen?.row == "row2")
        #expect(story.value(AnswerKey(row: "row2", "pump/pressure")) == .integer(20))
    }

    @Test("F48 deleting the second of four names it, and exactly that one goes")
    func delete() throws {
        var story = try Story.pumps()
        for tag in ["P-1", "P-2", "P-3", "P-4"] { story.addPump(tag) }
        story.press(.enter)
        story.press(KeyEvent(.home), .down)
        story.type("d")
        guard case .confirm(let question) = story.state.layers.top else {
            Issue.record("nothing was asked")
            return
        }
        #expect(question.title == "Delete Pump 2: P-2?")
        story.press(.enter)
        #expect(story.field.deletedRows == [])
        story.type("d")
        story.wait(1_000)
        story.type("y")
        #expect(story.field.deletedRows == ["row2"])
        #expect(story.rowNames == ["Pump 1: P-1", "Pump 2: P-3", "Pump 3: P-4"])
        #expect(story.state.place == .rows)
    }

    @Test("a row in which nothing was answered goes without a question")
    func deleteEmpty() throws {
        var story = try Story.pumps()
        story.go(to: "pump")
        story.type("a")
        story.press(.escape)
        story.type("d")
        #expect(story.field.deletedRows == ["row1"])
    }

    @Test("a repeat that is counted by an answer says why nothing is added or deleted")
    func counted() throws {
        var story = try Story.pumps()
        story.go(to: "weather/wind")
        story.type("2")
        story.press(.enter)
        #expect(story.rowNames == ["Valve 1", "Valve 2"])
        story.go(to: "valve")
        story.type("a")
        #expect(story.state.notice?.text == "An answer says how many rows there are")
        story.press(.enter)
        story.type("d")
        #expect(story.state.notice?.text == "An answer says how many rows there are")
        #expect(story.rowNames.count == 2)
    }

    @Test(
        "F51 a count that is lowered asks before rows with answers go; keeping them is the default")
    func lowered() throws {
        var story = try Story.pumps()
        story.go(to: "weather/wind")
        story.type("4")
        story.press(.enter)
        #expect(story.rowNames.count == 4)
        story.go(to: AnswerKey(row: "row2", "valve/tag"))
        story.scan("V-000002")
        story.press(.escape, .escape)
        story.go(to: "weather/wind")
        story.press(.enter)
        story.press(.backspace)
        story.type("0")
        story.press(.enter)
        guard case .confirm(let question) = story.state.layers.top else {
            Issue.record("nothing is asked")
            return
        }
        #expect(question.consequence.hasSuffix("with the answers in them: Valve 2: V-000002."))
        #expect(story.stored("weather/wind") == .integer(4))
        story.wait(1_000)
        story.press(.enter)
        #expect(story.stored("weather/wind") == .integer(4))
        #expect(story.screen?.draft(of: "weather/wind") == "0")
        story.press(.enter, .enter)
        story.wait(1_000)
        story.type("y")
        #expect(story.stored("weather/wind") == .integer(0))
        #expect(story.rowNames == [])
    }

    @Test("a count that takes only empty rows away asks nothing")
    func loweredEmpty() throws {
        var story = try Story.pumps()
        story.go(to: "weather/wind")
        story.type("4")
        story.press(.enter)
        story.go(to: "weather/wind")
        story.type("2")
        story.press(.enter)
        #expect(story.rowNames.count == 2)
    }

    @Test(
        "U42 U44 complete goes to the first problem, even in a row; F8 goes on to the next, then completes"
    )
    func complete() throws {
        var story = try Story.pumps()
        story.addPump("P-1")
        story.addPump("P-2", "20")
        story.go(to: "site")
        story.press(.function(5))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
        story.press(.function(8))
        #expect(story.focus == "safe")
        story.press(.function(8))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
        story.type("7")
        story.press(.enter, .function(8))
        #expect(story.focus == "safe" && story.screen?.row == nil)
        story.press(.enter)
        #expect(story.field.completed == [])
        story.press(.function(8))
        #expect(story.field.completed == [Story.freezer])
        story.press(.function(8))
        #expect(story.state.notice?.text == "There is no problem")
        #expect(story.field.completed == [Story.freezer])
    }

    @Test("U44 where nobody wanted to complete, F8 completes nothing")
    func nextProblemAlone() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "20")
        story.go(to: "safe")
        story.press(.enter, .function(8))
        #expect(story.screen?.form?.problems == [])
        #expect(story.state.notice?.text == "There is no problem")
        #expect(story.field.completed == [])
    }

    @Test("F7 goes from unanswered to unanswered through the rows")
    func unanswered() throws {
        var story = try Story.pumps()
        story.addPump("P-1")
        story.go(to: "weather/wind")
        story.press(.function(7))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
        story.press(.function(7))
        #expect(story.focus == "at")
    }

    @Test("what is typed in a row is a draft of that row, and held there")
    func draft() throws {
        var story = try Story.pumps()
        story.addPump("P-1")
        let key = AnswerKey(row: "row1", "pump/pressure")
        story.go(to: key)
        story.type("1x")
        story.press(.escape)
        #expect(story.field.drafts == [key: "1x"])
        #expect(story.screen?.draft(of: key) == "1x")
        #expect(story.screen?.form?.problems.first?.row == "row1")
        story.send(.lockDemanded)
        story.unlock()
        #expect(story.focus == key)
        #expect(story.state.notice?.text.contains("Recovered") == true)
    }

    @Test("undo finds the row of the last change")
    func undo() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "20")
        story.go(to: "site")
        story.press(.control("_"))
        #expect(story.focus == AnswerKey(row: "row1", "pump/pressure"))
        #expect(story.stored(AnswerKey(row: "row1", "pump/pressure")) == .null)
    }

    @Test("a row that somebody else deleted meanwhile is left for the inspection")
    func vanished() throws {
        var story = try Story.pumps()
        story.addPump("P-1", "20")
        story.go(to: AnswerKey(row: "row1", "pump/tag"))
        _ = story.field.perform(.deleteRow(Story.freezer, "row1"))
        story.send(.sync(.changed))
        #expect(story.screen?.row == nil)
        #expect(story.screen?.keys.contains { $0 == story.focus } == true)
    }
}
