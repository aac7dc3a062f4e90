import Coding
import FieldApp
import Forms
import Foundation
import Replication
import TerminalKit
import TestSupport
import Testing

extension Story {
    private static let size = Size(columns: 80, rows: 24)

    /// What the screen shows now.
    private var frame: Canvas {
        var scroll = Scroll()
        let look = Look(tier: .utf8, theme: .mono)
        return render(state, size: Self.size, look: look, scroll: &scroll)
    }

    mutating func tap(at position: Position) {
        now.uptime += 50
        now.wall += 50
        send(.tap(frame.target(at: position), now))
    }

    /// Taps where a text stands for the first time from the top, or in a box over others for the last.
    mutating func tap(_ text: String, inBox: Bool = false) {
        let canvas = frame
        let rows = Array(0..<Self.size.rows)
        for row in inBox ? rows.reversed() : rows {
            let line = canvas.row(row).map { String($0.scalar) }.joined()
            guard let found = line.range(of: text) else { continue }
            let column = line.distance(from: line.startIndex, to: found.lowerBound)
            return tap(at: Position(column: column, row: row))
        }
        Issue.record("\(text) is not on the screen")
    }

    mutating func wheel(_ action: MouseEvent.Action) {
        let mouse = MouseEvent(action, at: Position(column: 0, row: 0))
        send(.input(.mouse(mouse), now))
    }
}

@Suite("Taps")
struct TapTests {
    @Test("U24 a tap goes to a row of the worklist, and a second one opens it")
    func worklist() throws {
        var story = try Story()
        story.unlock()
        story.tap("FRZ-1")
        #expect(story.state.worklist.focused?.name == "FRZ-1")
        #expect(story.state.place == .worklist)
        story.tap("FRZ-1")
        #expect(story.screen?.id == Story.freezer)
    }

    @Test("a tap on another question keeps what was typed, one on the field itself changes nothing")
    func whileTyping() throws {
        var story = try Story()
        story.openFreezer()
        story.type("160")
        story.tap("160")
        story.tap("Pressure")
        #expect(story.state.place == .editor)
        #expect(story.screen?.editor?.line.text == "160")
        story.tap("Seals")
        #expect(story.focus == "seals" && story.state.place == .inspection)
        #expect(story.stored("pressure") == .integer(160))
        story.tap("Pressure")
        story.tap("Pressure")
        story.type("000")
        story.tap("Next visit")
        #expect(story.field.drafts["pressure"] == "160000")
    }

    @Test("a tap on a key of the footer is that key")
    func footer() throws {
        var story = try Story()
        story.openFreezer()
        story.tap("F6 Sections")
        #expect(story.state.place == .sections)
        story.tap("State", inBox: true)
        story.tap("State", inBox: true)
        #expect(story.state.place == .inspection && story.focus == "seals")
    }

    @Test("beneath a box nothing is tapped")
    func beneath() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.function(6))
        story.tap(at: Position(column: 2, row: 2))
        story.tap(at: Position(column: 2, row: 2))
        #expect(story.state.place == .sections && story.focus == "pressure")
    }

    @Test("one choice is taken by its second tap; of several each tap marks, and Enter takes")
    func choices() throws {
        var story = try Story()
        story.openFreezer()
        story.tap("Leak")
        story.tap("Leak")
        #expect(story.state.place == .picker)
        story.tap("2 No", inBox: true)
        #expect(story.state.place == .picker)
        story.tap("2 No", inBox: true)
        #expect(story.stored("leak") == .string("no"))

        var pumps = try Story.pumps()
        pumps.go(to: "faults")
        pumps.press(.enter)
        pumps.tap("3 [ ]")
        pumps.tap("1 [ ]")
        pumps.tap("3 [x]")
        pumps.tap("3 [ ]")
        #expect(pumps.stored("faults") == .null)
        pumps.press(.enter)
        #expect(pumps.stored("faults") == .string("leak heat"))
    }

    @Test("no tap confirms that something is thrown away")
    func confirmation() throws {
        var story = try Story()
        story.openFreezer()
        story.type("9999")
        story.press(.escape, .function(3))
        story.wait(1_000)
        for row in 0..<23 {
            for column in stride(from: 0, to: 80, by: 5) {
                story.tap(at: Position(column: column, row: row))
            }
        }
        #expect(story.state.place == .confirm)
        #expect(story.screen?.draft(of: "pressure") == "9999")
        story.tap("Keep")
        #expect(story.state.place == .inspection)
        #expect(story.screen?.draft(of: "pressure") == "9999")
    }

    @Test("the wheel leaves the field that is being typed in, as the arrows do")
    func wheel() throws {
        var story = try Story()
        story.openFreezer()
        story.type("160")
        story.wheel(.scrollDown)
        #expect(story.state.place == .inspection && story.focus != "pressure")
        #expect(story.stored("pressure") == .integer(160))
    }

    @Test("what is not in the list any more when the tap comes is not mistaken for another")
    func stale() throws {
        var story = try Story()
        story.unlock()
        let before = story.state.worklist.focused?.id
        story.send(.tap(TapTarget(RecordID("gone")), story.now))
        story.send(.tap(nil, story.now))
        #expect(story.state.worklist.focused?.id == before)
        #expect(story.state.place == .worklist)
    }

    @Test(
        "U21 one key leaves the mouse to the terminal and takes it again; help says how text is selected"
    )
    func switched() throws {
        var story = try Story()
        story.openFreezer()
        story.type("1")
        story.press(.control("t"))
        #expect(story.effects.last == .setMouse(on: false))
        #expect(story.state.place == .editor)
        story.press(.control("t"))
        #expect(story.effects.last == .setMouse(on: true))
        story.press(.escape, .function(1))
        guard case .help(let help) = story.state.layers.top else {
            Issue.record("no help")
            return
        }
        let texts = story.state.entries(of: help).map(\.help)
        #expect(texts.contains { $0.contains("Shift+drag selects text") })
    }

    @Test("a tap counts as a sign of life, and none wakes a device that is due to lock")
    func lock() throws {
        var story = try Story()
        story.openFreezer()
        story.wait(AppState.lockDelay - 1_000)
        story.tap("Seals")
        story.wait(AppState.lockDelay - 1_000)
        #expect(!story.state.isLocked)
        story.now.uptime += 2_000
        story.send(.tap(TapTarget(AnswerKey("pressure")), story.now))
        #expect(story.state.isLocked)
    }

    @Test(
        "5,000 random taps and keys in every screen discard nothing",
        arguments: RandomKeysTests.openings.keys.sorted())
    func cat(opening: String) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        var story = try Story()
        story.field.rows = [
            QueueRow(id: "m1", record: Story.freezer, name: "FRZ-1", badge: .conflict),
            QueueRow(id: "m2", record: Story.freezer, name: "FRZ-1", badge: .failed),
        ]
        RandomKeysTests.openings[opening]?(&story)
        for step in 0..<1_000 {
            for _ in 0..<4 {
                story.tap(at: Position(column: random.below(80), row: random.below(24)))
            }
            if random.oneIn(20) { story.wait(1_000) }
            story.press(random.pick(RandomKeysTests.keys))
            if story.state.place == .unlock { story.unlock() }
            let faults =
                RandomKeysTests.unsoundness(of: story)
                + (story.field.discarded.isEmpty ? [] : ["something was discarded"])
            guard faults.isEmpty else {
                Issue.record("\(opening), seed \(seed), step \(step): \(faults)")
                return
            }
        }
    }
}
