import FieldApp
import TerminalKit
import Testing

@Suite("The binding table")
struct BindingTests {
    @Test("no key stands twice in one place", arguments: Place.allCases)
    func collisions(place: Place) {
        #expect(BindingTable.keymap(for: place, demo: true).collisions == [])
    }

    @Test("where text is typed, no printable key is a command", arguments: Place.allCases)
    func text(place: Place) {
        guard place.takesText else { return }
        let printable = BindingTable.keymap(for: place, demo: true).bindings.flatMap(\.keys)
            .filter { $0.typed != nil }
        #expect(printable == [])
    }

    @Test(
        "where text is typed, no key of the text is hidden by a command", arguments: Place.allCases)
    func textKeys(place: Place) {
        // Lists that are narrowed by typing need the arrows for themselves.
        let isLine = [.editor, .resolution].contains(place)
        guard isLine else { return }
        let taken = BindingTable.keymap(for: place, demo: true).bindings.flatMap(\.keys)
        #expect(LineEditor.keymap.bindings.flatMap(\.keys).filter(taken.contains) == [])
        #expect(LineEditor.keymap.collisions == [])
    }

    @Test("each binding says what it does", arguments: Place.allCases)
    func help(place: Place) {
        for binding in BindingTable.keymap(for: place, demo: true).bindings {
            #expect(binding.help.count > 5, "\(binding.command)")
            #expect(!binding.help.hasSuffix("."), "\(binding.command)")
        }
    }

    @Test("help, quitting and redrawing work in every place", arguments: Place.allCases)
    func everywhere(place: Place) {
        let keymap = BindingTable.keymap(for: place)
        #expect(keymap.command(for: .function(1)) == .help)
        #expect(keymap.command(for: .function(10)) == .quit)
        #expect(keymap.command(for: .control("l")) == .redraw)
    }

    @Test("the keys that the contract fixes do what it says")
    func contract() {
        let fixed: [(Place, KeyEvent, Command)] = [
            (.worklist, .character("?"), .help), (.worklist, .function(9), .palette),
            (.worklist, .character(":"), .palette), (.worklist, .character("q"), .quit),
            (.worklist, .character("/"), .filter), (.worklist, .character("s"), .syncNow),
            (.worklist, .character("t"), .statusPane), (.worklist, .enter, .open),
            (.worklist, .character("n"), .networkSwitch),
            (.inspection, .function(6), .sections), (.inspection, .function(7), .nextUnanswered),
            (.inspection, .function(8), .nextProblem), (.inspection, .control("_"), .undo),
            (.inspection, .tab, .next), (.inspection, .backTab, .previous),
            (.inspection, .escape, .back), (.inspection, .character("s"), .syncNow),
            (.inspection, .character("t"), .statusPane),
            (.editor, .function(6), .sections), (.editor, .function(7), .nextUnanswered),
            (.editor, .function(8), .nextProblem), (.editor, .enter, .accept),
            (.status, .character("r"), .retry), (.status, .character("d"), .discard),
            (.status, .enter, .open), (.status, .character("s"), .syncNow),
            (.review, .character("m"), .mine), (.review, .character("t"), .theirs),
            (.review, .character("e"), .edit),
        ]
        for (place, key, command) in fixed {
            let keymap = BindingTable.keymap(for: place, demo: true)
            #expect(keymap.command(for: key) == command, "\(key.name) in \(place)")
        }
    }

    @Test("help lists the keys of the place it was asked in, and says what does not work now")
    func helpScreen() throws {
        var story = try Story()
        story.openFreezer()
        story.type("?")
        guard case .help(let screen) = story.state.layers.top else {
            Issue.record("no help")
            return
        }
        let entries = story.state.entries(of: screen)
        #expect(entries.contains { $0.keys == "F7 or u" && $0.whyDisabled == nil })
        #expect(entries.first { $0.command == .reopen }?.whyDisabled != nil)
        story.type("unanswered")
        guard case .help(let narrowed) = story.state.layers.top else { return }
        #expect(story.state.entries(of: narrowed).map(\.command) == [.nextUnanswered])
        story.press(.escape)
        #expect(story.state.place == .inspection)
    }

    @Test("the palette runs a command where it was opened")
    func palette() throws {
        var story = try Story()
        story.openFreezer()
        story.type(":")
        story.type("finish")
        story.press(.enter)
        #expect(story.state.place == .inspection)
        #expect(story.state.notice?.text.contains("Not complete yet") == true)
    }
}
