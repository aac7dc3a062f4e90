import Coding
import FieldApp
import TerminalKit
import TestSupport
import Testing

@Suite("Screens")
struct ScreenTests {
    private let golden = Golden(folder: "Golden")

    private static let colour = Look(tier: .utf8, theme: .named(.auto, colour: true))
    private static let plain = Look(tier: .ascii, theme: .mono)

    private func frame(_ state: AppState, _ size: Size, _ look: Look) -> Canvas {
        var state = state
        _ = update(&state, .resized(size))
        var scroll = Scroll()
        return render(state, size: size, look: look, scroll: &scroll)
    }

    @Test("Every screen at 80×24 in UTF-8 with colour looks as recorded")
    func regular() throws {
        for scene in try Scenes.all() {
            let canvas = frame(scene.state, Size(columns: 80, rows: 24), Self.colour)
            golden.expect(TextFrame.golden(canvas), matches: "\(scene.name)-80x24.txt")
        }
    }

    @Test("Every screen at 40×20 in ASCII without colour looks as recorded")
    func compact() throws {
        for scene in try Scenes.all() {
            let canvas = frame(scene.state, Size(columns: 40, rows: 20), Self.plain)
            golden.expect(TextFrame.golden(canvas), matches: "\(scene.name)-40x20.txt")
        }
    }

    @Test("From 100 columns the status stands beside and a conflict is side by side")
    func wide() throws {
        let size = Size(columns: 120, rows: 24)
        for scene in try Scenes.all() where ["inspection", "review"].contains(scene.name) {
            golden.expect(
                TextFrame.golden(frame(scene.state, size, Self.colour)),
                matches: "\(scene.name)-120x24.txt")
        }
    }

    @Test("U02 U03 Every screen can be drawn at every size, with the cursor on it")
    func everySize() throws {
        for scene in try Scenes.all() {
            for columns in Array(1...45) + [59, 60, 61, 79, 99, 100, 101, 132] {
                for rows in Array(1...16) + [24, 40] {
                    let size = Size(columns: columns, rows: rows)
                    let canvas = frame(scene.state, size, Self.colour)
                    #expect(
                        Rect(size).contains(canvas.cursor), "\(scene.name) \(columns)x\(rows)")
                }
            }
        }
    }

    @Test("Below 20×5 the size that is needed stands there, and that nothing is lost")
    func tooSmall() throws {
        let canvas = frame(try Scenes.number(), Size(columns: 40, rows: 4), Self.plain)
        #expect(TextFrame.line(canvas, 0) == "need 20x5, have 40x4; draft is safe")
    }

    @Test("In ASCII no cell holds anything else")
    func ascii() throws {
        for scene in try Scenes.all() {
            for columns in [20, 30, 40, 60, 80, 120] {
                let canvas = frame(scene.state, Size(columns: columns, rows: 20), Self.plain)
                let strangers = canvas.cells.filter { !$0.scalar.isASCII }
                #expect(strangers.isEmpty, "\(scene.name) at \(columns)")
            }
        }
    }

    @Test("U39 On every screen the cursor is on the focused row")
    func cursor() throws {
        for scene in try Scenes.all() {
            for (size, look) in [
                (Size(columns: 80, rows: 24), Self.colour),
                (Size(columns: 40, rows: 20), Self.plain),
            ] {
                let canvas = frame(scene.state, size, look)
                let line = TextFrame.line(canvas, canvas.cursor.row)
                let isList = line.contains(look.glyphs.marker)
                #expect(isList || canvas.cursorVisible || !hasList(scene.name), "\(scene.name)")
            }
        }
    }

    private func hasList(_ name: String) -> Bool {
        !["empty", "nothing-waits", "discard", "no-row", "pump-delete", "about-waiting"].contains(
            name)
    }

    @Test(
        "M17 where nothing goes by itself, the screen says so and names the key that sends",
        arguments: [Size(columns: 120, rows: 24), Size(columns: 80, rows: 24)])
    func metered(size: Size) throws {
        var status = StatusPicture()
        status.pending = 1
        status.isMetered = true
        let state = Scenes.receiving(
            try Scenes.worklist(), .sync(.finished(pushed: 0, pulled: 1, isComplete: true)),
            .status(status))
        #expect(TextFrame.golden(frame(state, size, Self.plain)).contains("metered, s sends"))
    }

    @Test(
        "F15 where background sync is off, status line and pane say so, offline or not",
        arguments: [Size(columns: 120, rows: 24), Size(columns: 80, rows: 24)], [true, false])
    func backgroundOff(size: Size, isOffline: Bool) throws {
        var status = StatusPicture()
        status.pending = 1
        status.isBackgroundOff = true
        let news =
            isOffline ? SyncNews.offline("") : .finished(pushed: 0, pulled: 1, isComplete: true)
        let state = Scenes.receiving(try Scenes.worklist(), .sync(news), .status(status))
        #expect(TextFrame.golden(frame(state, size, Self.plain)).contains("sync off, s sends"))
        let pane = try Scenes.pressing(state, .character("t"))
        let words = TextFrame.golden(frame(pane, Size(columns: 80, rows: 24), Self.plain))
            .split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(words.contains("background sync off: only 's' sends"))
    }

    @Test(
        "U35 An answer that runs from right to left displaces neither state, unit nor border",
        arguments: [Size(columns: 120, rows: 24), Size(columns: 80, rows: 24)])
    func rightToLeft(size: Size) throws {
        func lines(_ facility: String) throws -> [String] {
            var picture = try Scenes.picture()
            picture.answers["facility"] = AnswerPicture(
                value: .string(facility), standing: .savedHere)
            let state = Scenes.receiving(try Scenes.opening(), .inspection(picture))
            let canvas = frame(state, size, Self.colour)
            return (0..<size.rows).map { row in
                canvas.row(row).map { $0.isContinuation ? "" : String($0.scalar) }.joined()
            }
        }
        let plain = try lines("abcde 12")
        let turned = try lines("\u{2067}מקרר\u{2069} \u{645}12")
        #expect(turned == plain.map { $0.replacing("abcde 12", with: "מקרר \u{645}12") })
    }

    @Test("Badges differ in shape in both tiers")
    func badges() {
        #expect(Set(Badge.allCases.map(\.symbol)).count == Badge.allCases.count)
        #expect(Set(Badge.allCases.map(\.asciiSymbol)).count == Badge.allCases.count)
        #expect(Badge.allCases.allSatisfy { CellWidth.of($0.symbol) == 1 })
        #expect(Badge.allCases.allSatisfy { CellWidth.of($0.asciiSymbol) == 3 })
    }

    @Test("The list does not move while the focus moves inside of it")
    func steadyScroll() throws {
        var state = try Scenes.inspection()
        var scroll = Scroll()
        let size = Size(columns: 40, rows: 14)
        var tops: Set<String> = []
        for _ in 0..<3 {
            let canvas = render(state, size: size, look: Self.plain, scroll: &scroll)
            tops.insert(TextFrame.line(canvas, 1))
            _ = update(&state, .input(.key(KeyEvent(.down)), Scenes.now))
        }
        #expect(tops.count == 1)
    }
}
