internal import CNcurses
internal import Glibc

/// The terminal through ncurses: terminfo, the difference between frames and the output are its
/// work, keys and colours in meaning are ours. One a process; main thread only.
package final class NcursesScreen {
    package private(set) var look: Look
    /// A sentence for the person when TERM is not known here.
    package let notice: String?
    private let output: Int32
    /// Whether the terminal takes the private modes for pastes and the mouse.
    private let hasModes: Bool
    private let hasColour: Bool
    /// What the locale can show.
    private let widest: Tier
    private var hasMouse: Bool
    private var isOpen = true

    package var size: Size {
        Size(columns: Int(walkdown_screen_columns()), rows: Int(walkdown_screen_rows()))
    }

    /// Both must be terminals, and the terminal one that can be drawn on.
    package static func check(
        input: Int32, output: Int32, options: ScreenOptions
    ) throws(TerminalError) -> TerminalChoice {
        guard isatty(input) == 1, isatty(output) == 1 else { throw .notATerminal }
        return try TerminalChoice.choose(options.term) { term in
            switch walkdown_screen_knows(term) {
            case 1: .canDraw
            case 0: .cannotDraw
            default: .unknown
            }
        }
    }

    /// Takes the terminal over. `CrashGuard.prepare` must have been called: from here on a fault
    /// puts the terminal back.
    package init(input: Int32, output: Int32, options: ScreenOptions) throws(TerminalError) {
        let choice = try NcursesScreen.check(input: input, output: output, options: options)
        let isUTF8 = walkdown_screen_locale(options.tier == .utf8 ? 1 : 0) == 1
        guard walkdown_screen_open(choice.term, input, output) == 0 else {
            throw .unknownTerminal(term: choice.term)
        }
        let restore = RestoreString.make(NcursesScreen.capability)
        CrashGuard.arm(restore: restore)
        hasModes = restore.contains(RestoreString.modesOff)
        hasMouse = options.mouse
        hasColour = options.usesColour(available: Int(walkdown_screen_colours()))
        widest = isUTF8 ? .utf8 : .ascii
        look = Look(
            tier: options.tier == .ascii ? .ascii : widest,
            theme: .named(options.theme, colour: hasColour))
        notice = choice.notice
        self.output = output
        sendModes()
        // A terminal may have been resized between newterm and now.
        resize()
    }

    deinit { close() }

    private static func capability(_ name: String) -> String? {
        guard let text = walkdown_screen_capability(name) else { return nil }
        return String(cString: text)
    }

    /// Paints a frame: ncurses sends what differs from the last one.
    package func show(_ canvas: Canvas) {
        walkdown_screen_erase()
        var cells: [walkdown_cell] = []
        for row in 0..<canvas.size.rows {
            cells.removeAll(keepingCapacity: true)
            for cell in canvas.row(row) { cells.append(drawn(cell, canvas)) }
            walkdown_screen_row(Int32(row), cells, Int32(cells.count))
        }
        walkdown_screen_cursor(
            Int32(canvas.cursor.row), Int32(canvas.cursor.column), canvas.cursorVisible ? 1 : 0)
        walkdown_screen_update()
    }

    private func drawn(_ cell: Cell, _ canvas: Canvas) -> walkdown_cell {
        var drawn = walkdown_cell()
        drawn.scalar = cell.scalar.value
        let marks = canvas.marks(of: cell)
        if !marks.isEmpty {
            let values = (0..<4).map { $0 < marks.count ? marks[$0].value : 0 }
            drawn.marks = (values[0], values[1], values[2], values[3])
        }
        drawn.foreground = cell.style.foreground.map { Int8($0.rawValue) } ?? -1
        drawn.background = cell.style.background.map { Int8($0.rawValue) } ?? -1
        drawn.attributes = cell.style.attributes.rawValue
        drawn.width = cell.width
        return drawn
    }

    /// Takes the terminal's present size over; true when it changed. 0×0 changes nothing.
    @discardableResult
    package func resize() -> Bool { walkdown_screen_resize(output) == 1 }

    /// Asks for reports of the mouse, or for none: the terminal selects text by itself then.
    package func setMouse(on: Bool) {
        hasMouse = on
        guard hasModes else { return }
        walkdown_screen_send(on ? RestoreString.mouseOn : RestoreString.mouseOff)
    }

    /// Other colours and characters from the next frame on. Characters that the locale does not have come with
    /// the next start.
    package func setLook(_ theme: Theme.Name, _ tier: Tier?) {
        look = Look(
            tier: tier == .ascii ? .ascii : widest, theme: .named(theme, colour: hasColour))
        repaintNext()
    }

    private func sendModes() {
        guard hasModes else { return }
        walkdown_screen_send(RestoreString.pasteOn + (hasMouse ? RestoreString.mouseOn : ""))
    }

    /// The next frame is painted whole: after Ctrl-L, a stop, another program.
    package func repaintNext() { walkdown_screen_repaint() }

    /// Gives the terminal back, stops the process as the shell expects of Ctrl-Z, and takes the
    /// terminal again when it is continued. The next frame is painted whole.
    package func stopProcess() {
        leave()
        CrashGuard.stopProcess()
        retake()
    }

    /// After a stop that was not of our making: the shell may have changed the modes.
    package func retake() {
        resize()
        walkdown_screen_resume()
        CrashGuard.arm(restore: RestoreString.make(NcursesScreen.capability))
        sendModes()
        repaintNext()
    }

    private func leave() {
        if hasModes { walkdown_screen_send(RestoreString.modesOff) }
        walkdown_screen_leave()
        CrashGuard.disarm()
        CrashGuard.resetModes()
    }

    /// The shell's screen, modes and cursor again.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        if hasModes { walkdown_screen_send(RestoreString.modesOff) }
        walkdown_screen_close()
        CrashGuard.disarm()
        CrashGuard.resetModes()
    }
}
