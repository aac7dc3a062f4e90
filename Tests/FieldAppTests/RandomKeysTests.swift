import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit
import TestSupport
import Testing

@Suite("A cat on the keyboard")
struct RandomKeysTests {
    static let keys: [KeyEvent] =
        (0x20..<0x7F).compactMap { Unicode.Scalar($0).map { KeyEvent.character($0) } }
        + (1...10).map { KeyEvent.function($0) }
        + "abdefkluwx_".unicodeScalars.map { KeyEvent.control($0) }
        + [
            .enter, .tab, .backTab, .escape, .up, .down, .delete, .backspace,
            KeyEvent(.left), KeyEvent(.right), KeyEvent(.home), KeyEvent(.end),
            KeyEvent(.pageUp), KeyEvent(.pageDown), KeyEvent(.enter, .alt),
            .character("é"), .character("\u{301}"), .character("温"),
        ]

    /// Those that lead to a question and would confirm it, more often than chance would have it.
    static let feared: [KeyEvent] =
        "dyt".unicodeScalars.map { .character($0) } + [.down, .function(3)]

    /// Ways into each screen, so that every one of them meets the cat.
    static let openings: [String: @Sendable (inout Story) -> Void] = [
        "unlock": { _ in },
        "worklist": { $0.unlock() },
        "filter": {
            $0.unlock(); $0.type("/")
        },
        "inspection": { $0.openFreezer() },
        "editor": {
            $0.openFreezer(); $0.type("1")
        },
        "picker": {
            $0.openFreezer(); $0.press(.down, .enter)
        },
        "sections": {
            $0.openFreezer(); $0.press(.function(6))
        },
        "status": {
            $0.unlock(); $0.type("t")
        },
        "confirm": {
            $0.unlock(); $0.type("t"); $0.press(.down); $0.type("d")
        },
        "review": {
            $0.openFreezer(); $0.type("v")
        },
        "help": {
            $0.unlock(); $0.type("?")
        },
        "palette": {
            $0.openFreezer(); $0.type(":")
        },
        "settings": {
            $0.unlock(); $0.type("S")
        },
        "keys": {
            $0.unlock(); $0.type("S"); $0.press(.up, .enter)
        },
        "about": {
            $0.unlock(); $0.type("I")
        },
    ]

    @Test(
        "5,000 random keys in every screen discard nothing and lose no typed text",
        arguments: openings.keys.sorted(), [1, 2] as [UInt64])
    func cat(opening: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var story = try Story()
        story.field.rows = [
            QueueRow(id: "m1", record: Story.freezer, name: "FRZ-1", badge: .conflict),
            QueueRow(id: "m2", record: Story.freezer, name: "FRZ-1", badge: .failed),
            QueueRow(id: "m3", record: "new", name: "N", badge: .failed, createsRecord: true),
        ]
        story.field.conflicts[Story.freezer] = ReviewTests.picture
        story.field.inspections[Story.freezer]?.conflicts = [Story.freezer]
        Self.openings[opening]?(&story)
        for step in 0..<5_000 {
            let editor = story.screen?.editor
            let id = story.screen?.id
            // A paw rests: faster than the pause before a confirmation, now and then a second.
            let isDangerous = [.status, .confirm].contains(story.state.place)
            let key =
                random.oneIn(isDangerous ? 2 : 8)
                ? random.pick(Self.feared) : random.pick(Self.keys)
            story.now.uptime += Int64(random.below(100))
            if story.state.place != .confirm, random.oneIn(50) { story.wait(1_000) }
            story.press(key)
            if story.state.place == .unlock { story.unlock() }
            let faults =
                Self.lostText(editor, of: id, in: story) + Self.unsoundness(of: story)
                + (story.field.discarded.isEmpty ? [] : ["something was discarded"])
            guard faults.isEmpty else {
                Issue.record(
                    "\(opening), seed \(seed), step \(step), \(key.name): \(faults)")
                return
            }
        }
    }

    /// Ways into the screens of a form with repeats and lists.
    static let pumpOpenings: [String: @Sendable (inout Story) -> Void] = [
        "row": { $0.go(to: AnswerKey(row: "row2", "pump/tag")) },
        "rows": {
            $0.go(to: "pump"); $0.press(.enter)
        },
        "deleting": {
            $0.go(to: "pump"); $0.press(.enter); $0.type("d")
        },
        "marking": {
            $0.go(to: "faults"); $0.press(.enter); $0.type("1")
        },
        "ranking": {
            $0.go(to: "order"); $0.press(.enter)
        },
        "range": {
            $0.go(to: "weather/wind"); $0.press(KeyEvent(.right))
        },
        "why": {
            $0.go(to: "faults"); $0.type("w")
        },
        "history": {
            let visit = Visit(
                inspection: "before", formVersion: "1", day: "2026-02-03",
                answers: FormAnswers(["weather/wind": .integer(3)]))
            $0.field.visits = [visit, visit]
            $0.go(to: "weather/wind"); $0.type("h")
        },
    ]

    @Test(
        "5,000 random keys among rows and lists lose no row with answers and no typed text",
        arguments: pumpOpenings.keys.sorted(), [1, 2] as [UInt64])
    func catAmongPumps(opening: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var story = try Story.pumps()
        for tag in ["P-1", "P-2", "P-3"] { story.addPump(tag, "20") }
        Self.pumpOpenings[opening]?(&story)
        for step in 0..<5_000 {
            let editor = story.screen?.editor
            let id = story.screen?.id
            let key = random.oneIn(8) ? random.pick(Self.feared) : random.pick(Self.keys)
            story.now.uptime += Int64(random.below(100))
            if story.state.place != .confirm, random.oneIn(50) { story.wait(1_000) }
            story.press(key)
            if story.state.place == .unlock { story.unlock() }
            let lost = story.field.lostRows.map { "\($0) was deleted with its answers" }
            let faults =
                Self.lostText(editor, of: id, in: story) + Self.unsoundness(of: story) + lost
            guard faults.isEmpty else {
                Issue.record(
                    "\(opening), seed \(seed), step \(step), \(key.name): \(faults)")
                return
            }
        }
    }

    /// A closed editor's text is stored, or it is a draft.
    private static func lostText(
        _ editor: AnswerEditor?, of id: RecordID?, in story: Story
    ) -> [String] {
        guard let editor, let id, story.screen?.editor?.key != editor.key,
            let picture = story.field.inspections[id],
            let question = picture.form.question(named: editor.key.path)
        else { return [] }
        let text = editor.line.text
        // What a rule of the form refuses can be read all the same.
        if picture.drafts[editor.key] == text { return [] }
        let stored = picture.answers[editor.key]?.value ?? .null
        do throws(AnswerProblem) {
            let value = try question.parse(
                text, rules: .screen, today: story.now.today,
                zone: ExpressionZone(fixedOffset: 0), now: story.now.wall)
            return stored == value ? [] : ["the answer of \(editor.key.path) was lost"]
        } catch {
            let isKept = picture.drafts[editor.key] == text
            return isKept ? [] : ["the draft of \(editor.key.path) was lost"]
        }
    }

    static func unsoundness(of story: Story) -> [String] {
        var faults: [String] = []
        switch story.state.layers.layers[0] {
        case .worklist, .unlock: break
        default: faults.append("a screen without a way back")
        }
        if story.state.layers.depth >= 40 { faults.append("layers without end") }
        for case .inspection(let screen) in story.state.layers.layers where screen.picture != nil {
            if screen.focus.focused.map(screen.keys.contains) != true {
                faults.append("the focus is on no question")
            }
            if !screen.writes.isEmpty { faults.append("a write without an end") }
        }
        return faults
    }
}
