import FieldApp
import TerminalKit
import Testing

@Suite("Settings on the screen")
struct SettingsTests {
    private func opened(at setting: ScreenSetting) throws -> Story {
        var story = try Story()
        story.state.settings.languages = [
            .init(code: "en", name: "English"), .init(code: "es", name: "Español"),
        ]
        story.unlock()
        story.type("S")
        for _ in 0..<(ScreenSetting.allCases.firstIndex(of: setting) ?? 0) { story.press(.down) }
        return story
    }

    private func right() -> KeyEvent { KeyEvent(.right) }
    private func left() -> KeyEvent { KeyEvent(.left) }

    @Test("each change holds at once and is kept for the next time")
    func theme() throws {
        var story = try opened(at: .theme)
        story.press(right())
        #expect(story.state.settings.theme == .mono)
        #expect(story.effects.contains(.setLook(.mono, nil)))
        story.press(left(), left())
        #expect(story.state.settings.theme == Theme.Name.allCases.last)
        #expect(story.field.kept.last == "theme = \(story.state.settings.theme.rawValue)")
    }

    @Test("characters go round, and what the terminal says needs no line")
    func characters() throws {
        var story = try opened(at: .characters)
        story.press(.enter, .enter, .enter)
        #expect(
            story.field.kept == ["characters = ascii", "characters = utf8", "characters = "])
        #expect(story.state.settings.tier == nil)
    }

    @Test("the language is spoken, then kept; what stands on the screen stays open")
    func language() throws {
        var story = try opened(at: .language)
        story.press(.enter)
        #expect(story.effects.contains(.speak("es")))
        #expect(story.state.settings.language == "es")
        #expect(story.field.kept == ["language = es"])
        #expect(story.state.place == .settings)
    }

    @Test("the mouse is asked for, or left alone")
    func mouse() throws {
        var story = try opened(at: .mouse)
        story.press(.enter)
        #expect(!story.state.hasMouse && story.effects.contains(.setMouse(on: false)))
        #expect(story.field.kept == ["mouse = off"])
    }

    @Test("what goes by itself is a setting of the home, and stands as it was where it is refused")
    func background() throws {
        var story = try opened(at: .background)
        story.press(.enter)
        #expect(story.state.status.isBackgroundOff && story.field.isBackgroundOff)
        story.press(.enter)
        #expect(!story.state.status.isBackgroundOff)
        story.field.keepRefusal = StoreRefusal(.disk, "the disk is full")
        story.press(.enter)
        #expect(!story.state.status.isBackgroundOff)
        #expect(story.state.notice?.tone == .bad)
    }

    @Test("what cannot be kept holds until the screen goes, and is told")
    func notKept() throws {
        var story = try opened(at: .theme)
        story.field.keepRefusal = StoreRefusal(.other, "the disk is full")
        story.press(right())
        #expect(story.state.settings.theme == .mono)
        #expect(story.state.notice?.text == "Not kept for the next time: the disk is full")
    }

    // MARK: Keys

    private func binding(_ command: Command) throws -> Story {
        var story = try opened(at: .keys)
        story.press(.enter)
        for _ in 0..<(KeysScreen.commands.firstIndex(of: command) ?? 0) { story.press(.down) }
        return story
    }

    @Test("the next key is bound, works at once and is written")
    func bound() throws {
        var story = try binding(.syncNow)
        let key = try #require(KeyEvent(named: "F11"))
        story.press(.enter, key)
        #expect(story.field.kept == ["bind syncNow = F11"])
        #expect(story.state.notice?.tone == .good)
        story.press(.escape, .escape, key)
        #expect(story.field.syncs == 1)
    }

    @Test("Esc takes the question back, and no key is bound that means something else")
    func notBound() throws {
        var story = try binding(.syncNow)
        story.press(.enter, .escape)
        #expect(story.state.place == .keys && story.state.ownKeys.keys(of: .syncNow).isEmpty)
        story.press(.enter, .enter)
        #expect(story.state.notice?.tone == .bad)
        story.press(.enter, .character("q"))
        #expect(story.state.notice?.tone == .bad)
        #expect(story.field.kept.isEmpty && story.state.place == .keys)
    }

    @Test("a bound key goes again, those of the table stay")
    func unbound() throws {
        var story = try binding(.syncNow)
        let key = try #require(KeyEvent(named: "F11"))
        story.press(.enter, key, KeyEvent(.delete))
        #expect(story.state.ownKeys.keys(of: .syncNow).isEmpty)
        #expect(story.field.kept.last == "unbind syncNow")
        story.press(KeyEvent(.delete))
        #expect(story.field.kept.count == 2, "there was nothing any more")
        story.press(.escape, .escape)
        story.type("s")
        #expect(story.field.syncs == 1)
    }

    // MARK: This device

    @Test("what the device is is looked at each time, with what is wrong")
    func about() throws {
        var story = try Story()
        story.unlock()
        story.type("I")
        guard case .about(let screen) = story.state.layers.top else {
            Issue.record("no screen about the device")
            return
        }
        #expect(screen.lines == story.field.about)
        story.press(.down, .down, .escape)
        #expect(story.state.place == .worklist)
    }
}
