import FieldApp
import Inspections
import Replication
import TerminalKit
import Testing

@Suite("The worklist")
struct WorklistTests {
    static func row(_ id: String, site: String, due: String?) -> WorklistRow {
        WorklistRow(
            id: RecordID(id), name: "Unit \(id)", site: site, form: "Round", due: due,
            state: .assigned, badge: .synced, answered: 0, total: 5)
    }

    static let rows = [
        row("a", site: "Harbour", due: nil), row("b", site: "Harbour", due: "2026-03-02"),
        row("c", site: "Depot", due: "2026-05-01"), row("d", site: "Harbour", due: "2026-01-02"),
    ]

    @Test("is grouped by site and sorted by due day, undated last")
    func order() {
        var list = Worklist()
        list.replace(Self.rows)
        #expect(list.ids.map(\.rawValue) == ["c", "d", "b", "a"])
    }

    @Test("o orders it by due day, form and state, and keeps the focus and the order over a lock")
    func orders() throws {
        var story = try Story()
        story.unlock()
        var rows = Self.rows
        rows[1].form = "Audit"
        rows[2].state = .complete
        story.send(.worklist(rows))
        story.press(.down)
        #expect(story.state.worklist.focused?.id == "d")
        story.type("o")
        #expect(story.state.worklist.ids.map(\.rawValue) == ["d", "b", "c", "a"])
        #expect(story.state.notice?.text == "By due day")
        story.type("o")
        #expect(story.state.worklist.ids.map(\.rawValue) == ["b", "d", "c", "a"])
        story.type("o")
        #expect(story.state.worklist.ids.map(\.rawValue) == ["d", "b", "a", "c"])
        #expect(story.state.worklist.focused?.id == "d")
        story.press(.control("x"))
        story.unlock()
        #expect(story.state.worklist.order == .state)
    }

    @Test("the filter narrows as one types; Enter keeps it, Esc shows all again")
    func filter() throws {
        var story = try Story()
        story.unlock()
        story.send(.worklist(Self.rows))
        story.type("/")
        #expect(story.state.place == .filter)
        story.type("harbour 2026")
        #expect(story.state.worklist.ids.map(\.rawValue) == ["d", "b"])
        story.press(.down, .enter)
        #expect(story.state.place == .worklist)
        #expect(story.state.worklist.focused?.id == "b")
        story.press(.escape)
        #expect(story.state.worklist.ids.count == 4)
        #expect(story.state.worklist.focused?.id == "b")
    }

    @Test("in the filter no letter is a command")
    func letters() throws {
        var story = try Story()
        story.unlock()
        story.type("/qstn?:")
        #expect(story.state.worklist.filter.text == "qstn?:")
        #expect(!story.field.hasQuit && story.field.syncs == 0)
    }

    @Test("the focus stays on its inspection when the list changes under it")
    func anchored() throws {
        var story = try Story()
        story.unlock()
        story.send(.worklist(Self.rows))
        story.press(.down, .down)
        #expect(story.state.worklist.focused?.id == "b")
        story.send(.worklist(Self.rows + [Self.row("0", site: "Airport", due: nil)]))
        #expect(story.state.worklist.focused?.id == "b")
    }

    @Test("s synchronises here and in the status pane (F60)")
    func sync() throws {
        var story = try Story()
        story.unlock()
        story.type("s")
        story.type("ts")
        #expect(story.field.syncs == 2)
        #expect(story.state.network == .online)
    }

    @Test("n switches the demo's network, and is nothing elsewhere")
    func network() throws {
        var story = try Story(demo: AppState.Demo(pin: "246810"))
        story.unlock()
        story.type("n")
        #expect(story.effects.contains(.setNetwork(on: false)))
        story.type("n")
        #expect(story.effects.contains(.setNetwork(on: true)))

        var real = try Story()
        real.unlock()
        real.type("n")
        #expect(!real.effects.contains(.setNetwork(on: false)))
    }

    @Test("Esc on the worklist never quits; q does")
    func quit() throws {
        var story = try Story()
        story.unlock()
        story.press(.escape, .escape, .escape)
        #expect(!story.field.hasQuit)
        story.type("q")
        #expect(story.field.hasQuit)
    }
}
