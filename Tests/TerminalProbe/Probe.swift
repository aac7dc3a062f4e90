import Dispatch
import Glibc
import TerminalKit

/// Keys: text goes into the line; Up and Down move in the list; F2 faults by a Swift trap, F3 by a
/// stack overflow on a worker; Ctrl-Z stops; Ctrl-L repaints; Ctrl-C quits.
final class Probe: ScreenApp {
    private var line = LineEditor()
    private var focus = ListFocus(0)
    private var anchor = ScrollAnchor<Int>()
    private var last = "none"
    private let items = Array(0..<30)

    var timer: Int64? { nil }
    var isBusy: Bool { false }
    var takesSecret: Bool { false }

    func isText(_ key: KeyEvent) -> Bool { true }

    static func main() {
        do {
            var environment: [String: String] = [:]
            for name in ["TERM", "NO_COLOR", "WALKDOWN_TEST_FD"] {
                environment[name] = getenv(name).map { String(cString: $0) }
            }
            let session = try ScreenSession(
                app: Probe(), mailbox: try Mailbox<Never>(),
                options: ScreenOptions(environment: environment),
                log: CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "/dev/null",
                farewell: "probe: a fault ended it\n")
            let end = try session.run()
            if case .signal(let number) = end { CrashGuard.die(of: number) }
        } catch {
            say("probe: \(error)")
            exit(2)
        }
    }

    private static func say(_ sentence: String) {
        let bytes = Array((sentence + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    func handle(_ event: ScreenEvent<Never>) -> ScreenRequest {
        switch event {
        case .input(.key(let key)): return handle(key)
        case .input(.paste(let text)):
            line.paste(text)
            last = "paste"
        case .input(.scan): last = "scan"
        case .input(.mouse): last = "mouse"
        case .resized(let size): last = "size \(size.columns)x\(size.rows)"
        case .timer, .userSignal: break
        }
        return .none
    }

    private func handle(_ key: KeyEvent) -> ScreenRequest {
        last = key.name
        switch key {
        case .control("c"): return .quit
        case .control("z"): return .stop
        case .control("l"): return .repaint
        case KeyEvent(.up): focus.move(by: -1, in: items)
        case KeyEvent(.down): focus.move(by: 1, in: items)
        case KeyEvent(.function(2)): fault(in: [])
        case KeyEvent(.function(3)): overflow()
        default: line.handle(key)
        }
        return .none
    }

    private func fault(in empty: [Int]) { line.limit = empty[line.limit] }

    private func overflow() {
        let worker = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            CrashGuard.protectThread()
            _ = Probe.depth(0)
            worker.signal()
        }
        worker.wait()
    }

    @inline(never)
    private static func depth(_ level: Int) -> Int {
        level < 0 ? 0 : depth(level + 1) &+ level
    }

    func render(size: Size, look: Look) -> Canvas {
        var canvas = Canvas(size: size, tier: look.tier, style: look.theme.body)
        var space = Rect(size)
        let top = space.cutTop(1)
        canvas.text(
            "probe \(size.columns)x\(size.rows) \(look.tier.rawValue) last \(last)",
            column: 0, row: top.row, limit: top.columns, style: look.theme.title)
        let bottom = space.cutBottom(1)
        let list = items.map { item in
            ListItem(item) { [focus] canvas, rect in
                let marker = item == focus.focused ? look.glyphs.marker : " "
                canvas.text("\(marker) item \(item)", column: rect.column, row: rect.row)
            }
        }
        canvas.list(list, focused: focus.focused, in: space, anchor: &anchor)
        let view = line.visible(in: bottom.columns - 6)
        canvas.text("line: \(view.text)", column: 0, row: bottom.row, limit: bottom.columns)
        canvas.cursor = Position(column: 6 + view.caretColumn, row: bottom.row)
        canvas.cursorVisible = true
        return canvas
    }

    func save(before end: ScreenPause) {}
}
