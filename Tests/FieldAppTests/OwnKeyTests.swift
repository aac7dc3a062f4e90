import Coding
import FieldApp
import TerminalKit
import Testing

@Suite("Keys that a person has bound himself")
struct OwnKeyTests {
    private func key(_ name: String) throws -> KeyEvent { try #require(KeyEvent(named: name)) }

    @Test("one does what it is bound to, beside the key of the table, and the footer shows it")
    func bound() throws {
        var story = try Story()
        try story.state.ownKeys.bind(.filter, to: key("g"))
        story.unlock()
        story.type("g")
        #expect(story.state.place == .filter)
        story.type("g")
        #expect(story.state.place == .filter, "in a text it is a letter")
        story.press(.escape)
        story.type("/")
        #expect(story.state.place == .filter)
        story.press(.escape)
        story.type("?")
        guard case .help(let screen) = story.state.layers.top else {
            Issue.record("no help")
            return
        }
        #expect(
            story.state.entries(of: screen).first { $0.command == .filter }?.keys == "g or /")
    }

    @Test("one that types nothing works while a text is typed, too")
    func inText() throws {
        var story = try Story()
        try story.state.ownKeys.bind(.nextUnanswered, to: key("F11"))
        story.openFreezer()
        story.type("15")
        #expect(story.state.place == .editor)
        story.press(try key("F11"))
        #expect(story.state.place == .inspection)
        #expect(story.stored("pressure") == .double(15))
    }

    @Test(
        "a key that accepts, leaves, moves or begins an answer keeps its meaning",
        arguments: [
            "Enter", "Esc", "Tab", "Space", "Up", "PgDn", "End", "Backspace", "Ctrl-C", "Ctrl-Z",
            "0", "9", "-", "+", ".", ",",
        ])
    func reserved(name: String) throws {
        var keys = OwnKeys()
        let key = try key(name)
        #expect(throws: OwnKeys.Trouble.reserved(key)) { try keys.bind(.syncNow, to: key) }
        #expect(keys == OwnKeys())
    }

    @Test("a key is not taken from another action, be it of the table or bound before")
    func taken() throws {
        var keys = OwnKeys()
        let slash = try key("/")
        #expect(throws: OwnKeys.Trouble.taken(slash, by: .filter, in: .worklist)) {
            try keys.bind(.syncNow, to: slash)
        }
        let own = try key("F11")
        try keys.bind(.syncNow, to: own)
        #expect(throws: OwnKeys.Trouble.taken(own, by: .syncNow, in: .worklist)) {
            try keys.bind(.filter, to: own)
        }
    }

    @Test("one that would be text wherever its action is, is refused")
    func text() throws {
        var keys = OwnKeys()
        let letter = try key("g")
        #expect(throws: OwnKeys.Trouble.isText(letter)) { try keys.bind(.newLine, to: letter) }
    }

    @Test("no place has a key twice, whatever is bound to what", arguments: Command.allCases)
    func collisions(command: Command) throws {
        for name in ["g", "G", "F11", "Ctrl-G", "Alt-x", "Insert", "Delete", "m", "F1", "Ctrl-A"] {
            var keys = OwnKeys()
            let key = try key(name)
            do {
                try keys.bind(command, to: key)
            } catch {
                #expect(keys == OwnKeys())
                continue
            }
            let keymaps = Place.allCases.map {
                BindingTable.keymap(for: $0, demo: true, own: keys)
            }
            #expect(keymaps.allSatisfy { $0.collisions == [] }, "\(name) for \(command)")
            #expect(
                keymaps.contains { $0.command(for: key) == command }, "\(name) for \(command)")
        }
    }
}
