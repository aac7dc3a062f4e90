import Forms
import Inspections
import Phrases
import TerminalKit

/// What stands around every screen: title, status, footer.
extension Frame {
    // MARK: Title

    mutating func drawTitle(in rect: Rect) {
        guard !rect.isEmpty else { return }
        canvas.fill(rect, theme.bar)
        let right = titleRight
        canvas.textEnding(
            right, before: rect.endColumn - 1, row: rect.row, limit: rect.columns / 2,
            style: theme.bar)
        let room = rect.columns - min(CellWidth.of(right), rect.columns / 2) - 3
        canvas.text(
            titleLeft, column: rect.column + 1, row: rect.row, limit: room,
            style: theme.bar.adding(.bold))
    }

    private var titleLeft: String {
        switch state.layers.top {
        case .unlock: return "Walkdown"
        case .review,
            .picker where review != nil:
            return say("Conflict \(review?.picture?.name ?? "")")
        case .inspection, .sections, .picker, .rows, .finding, .findings, .why,
            .history, .move:
            guard let picture = inspection?.picture else { return state.place.title }
            if let row = inspection?.row, let filling = inspection?.filling {
                return "\(picture.name): \(filling.name(ofRow: row))"
            }
            return picture.site.isEmpty ? picture.name : "\(picture.name), \(picture.site)"
        default: return state.place.title
        }
    }

    private var titleRight: String {
        switch state.layers.top {
        case .unlock: return say("locked")
        case .inspection, .sections, .picker, .rows, .finding, .findings, .why,
            .history, .move:
            return inspectionRight
        case .worklist, .begin, .status, .review, .settings, .keys, .about, .help, .palette,
            .confirm:
            return state.demo == nil ? "Walkdown" : say("Walkdown demo")
        }
    }

    /// Score, coverage and what was found where there is room for them, and the state.
    private var inspectionRight: String {
        guard let inspection, let state = inspection.picture?.state.label else { return "" }
        guard layout.hasRoom else { return state }
        let score = inspection.score
        let tally = inspection.tally
        let ways = [
            [score.words, tally.words, state], [score.short, tally.brief(findingSymbol), state],
            [score.short, state],
        ]
        let texts = ways.map { $0.compactMap(\.self).joined(separator: ", ") }
        return texts.first { CellWidth.of($0) <= size.columns / 2 } ?? state
    }

    /// The inspection that is open, also beneath what stands over it.
    var inspection: InspectionScreen? {
        for case .inspection(let screen) in state.layers.layers.reversed() { return screen }
        return nil
    }

    /// The conflict review that is open, also beneath a list of choices.
    private var review: ReviewScreen? {
        for case .review(let screen) in state.layers.layers.suffix(2) { return screen }
        return nil
    }

    // MARK: Status

    mutating func drawStatus(in rect: Rect) {
        guard !rect.isEmpty else { return }
        var rest = rect
        let last = rest.cutBottom(1 + messageOverflow - (keepsStatusLine ? 1 : 0))
        if rest.rows == 2 {
            let first = rest.cutTop(1)
            let sync = lastSync.text
            drawParts(inspectionParts, in: first, keeping: CellWidth.of(sync) + 3)
            canvas.textEnding(sync, before: first.endColumn - 1, row: first.row)
            drawParts(networkParts, in: rest.cutTop(1))
        }
        if let message {
            var place = last
            _ = place.cutLeft(1)
            canvas.lines(messageLines, in: place, style: message.style)
        }
        if layout.statusRows == 1, !showsPanel, message == nil || keepsStatusLine {
            drawParts(shortParts, in: message == nil ? last : rest)
        }
    }

    /// Where the status has one line a message stands below it, if the screen has a row for that.
    private var keepsStatusLine: Bool {
        layout.statusRows == 1 && !showsPanel && size.rows >= 12 && message != nil
    }

    /// A message that needs more than its line takes up to two more, where the screen has them.
    var messageOverflow: Int {
        size.rows < 12 ? 0 : min(2, messageLines.count - 1) + (keepsStatusLine ? 1 : 0)
    }

    private var messageLines: [String] {
        TextFlow.wrapped(message?.text ?? "", to: max(1, size.columns - 2))
    }

    var showsPanel: Bool { layout.hasPanel && !state.isLocked }

    /// What just happened goes before what stays.
    private var message: StatusPart? {
        if let notice = state.notice {
            let style =
                switch notice.tone {
                case .plain: theme.body
                case .good: theme.good
                case .bad: theme.error
                }
            return StatusPart(notice.tone == .bad ? "! " + notice.text : notice.text, style)
        }
        return state.warning.map { StatusPart("! " + $0, theme.error) }
    }

    /// The status beside the screen, from 100 columns.
    mutating func drawPanel(in rect: Rect) {
        var space = rect
        canvas.verticalLine(space.cutLeft(1), style: theme.border)
        space = space.inset(columns: 1, rows: 0)
        let groups = [inspectionParts, networkParts, countParts(inWords: true)]
        for group in groups where !group.isEmpty {
            for part in group {
                let line = space.cutTop(1)
                canvas.text(
                    part.text, column: line.column, row: line.row, limit: line.columns,
                    style: part.style)
            }
            _ = space.cutTop(1)
        }
    }

    private mutating func drawParts(
        _ parts: [StatusPart], in rect: Rect, keeping reserve: Int = 0
    ) {
        var column = rect.column + 1
        for part in parts {
            let width = CellWidth.of(part.text)
            // A part that does not fit is left out whole: half a figure would be a wrong figure.
            guard column + width + reserve <= rect.endColumn else { continue }
            column += canvas.text(part.text, column: column, row: rect.row, style: part.style)
            column += layout.hasRoom ? 3 : 1
        }
    }

    private var inspectionParts: [StatusPart] {
        guard let screen = inspection, let picture = screen.picture, let form = screen.form else {
            return state.isLocked ? [] : worklistParts
        }
        var parts = [
            StatusPart(picture.form.title, theme.body),
            StatusPart(say("\(form.answered)/\(form.total) answered"), theme.body),
        ]
        let problems = screen.toldProblems.count
        if problems > 0 {
            parts.append(
                StatusPart(
                    problems == 1 ? say("1! problem") : say("\(problems)! problems"), theme.error))
        }
        if layout.hasPanel, let words = screen.tally.words {
            parts.append(StatusPart("\(findingSymbol) \(words)", theme.warning))
        }
        if let saved = screen.savedAt {
            parts.append(StatusPart(say("saved \(time.clock(saved))"), theme.good))
        }
        return parts
    }

    private var worklistParts: [StatusPart] {
        let count = state.worklist.rows.count
        let shown = state.worklist.shown.count
        guard state.worklist.isLoaded else { return [] }
        let words = count == 1 ? say("1 inspection") : say("\(count) inspections")
        return [StatusPart(shown == count ? words : say("\(shown) of \(words)"), theme.body)]
    }

    private var networkParts: [StatusPart] {
        guard !state.isLocked else { return [] }
        var parts = [StatusPart(networkWord, networkStyle)]
        parts += layout.hasPanel ? [lastSync] : countParts(inWords: layout.hasRoom)
        return parts
    }

    private var lastSync: StatusPart {
        guard !state.isLocked else { return StatusPart("", theme.body) }
        return StatusPart(say("last sync \(time.clock(state.status.lastSync))"), theme.body)
    }

    private var networkWord: String {
        if state.isSyncing, !isTryingInVain {
            return state.cycleProgress?.words ?? say("synchronising")
        }
        if state.status.isBackgroundOff { return say("sync off, s sends") }
        if case .offline(let reason) = state.network, layout.hasPanel, !reason.isEmpty {
            return say("offline: \(reason)")
        }
        if case .offline = state.network { return state.network.label }
        return state.status.isMetered ? say("metered, s sends") : state.network.label
    }

    /// A try in the background while there is no way: it fails at once, every minute for days, and is
    /// not worth a word.
    private var isTryingInVain: Bool {
        if case .offline = state.network { return !state.isSyncDemanded }
        return false
    }

    private var networkStyle: Style {
        if case .offline = state.network { return theme.warning }
        return theme.body
    }

    /// `↑3 !1 ≠1`, or in words: what has not reached the server, by what keeps it.
    private func countParts(inWords: Bool) -> [StatusPart] {
        let status = state.status
        let counts: [(Badge, Int)] = [
            (.pending, status.pending + status.inFlight), (.failed, status.failed),
            (.conflict, status.conflict), (.inReview, status.inReview),
        ]
        let parts = counts.filter { $0.1 > 0 }.map { badge, count in
            StatusPart(
                inWords ? "\(symbol(badge)) \(count) \(badge.label)" : symbol(badge) + "\(count)",
                style(of: badge))
        }
        guard parts.isEmpty, inWords else { return parts }
        return [StatusPart(say("\(symbol(.synced)) nothing waits"), theme.good)]
    }

    private var shortParts: [StatusPart] {
        guard !state.isLocked else { return [] }
        var parts: [StatusPart] = []
        if let screen = inspection, let form = screen.form {
            parts.append(StatusPart("\(form.answered)/\(form.total)", theme.body))
            let problems = screen.toldProblems.count
            if problems > 0 { parts.append(StatusPart("\(problems)!", theme.error)) }
            if let short = screen.tally.short {
                parts.append(StatusPart(findingSymbol + short, theme.warning))
            }
            if let short = screen.score.short {
                parts.append(StatusPart(short, screen.score.isFailed ? theme.error : theme.body))
            }
        }
        parts.append(StatusPart(networkWord, networkStyle))
        parts += countParts(inWords: false)
        if let saved = inspection?.savedAt {
            parts.append(StatusPart(say("saved \(time.clock(saved))"), theme.good))
        }
        parts.append(StatusPart(say("sync \(time.clock(state.status.lastSync))"), theme.body))
        return parts
    }

    // MARK: Footer

    /// The keys that work here, in the table's order, as many as fit; help is always among them.
    mutating func drawFooter(in rect: Rect) {
        guard !rect.isEmpty else { return }
        canvas.fill(rect, theme.bar)
        let bindings = state.keymap.bindings.filter {
            !$0.label.isEmpty && state.whyDisabled($0.command) == nil
        }
        var end = rect.endColumn
        if let help = bindings.first(where: { $0.command == .help }) {
            end -= footerWidth(help) + 1
            drawKey(help, column: end, row: rect.row)
        }
        var column = rect.column + 1
        for binding in bindings where binding.command != .help {
            let width = footerWidth(binding)
            guard column + width < end else { break }
            drawKey(binding, column: column, row: rect.row)
            column += width + (layout.width < .regular ? 1 : 2)
        }
    }

    private func footerWidth(_ binding: Binding<Command>) -> Int {
        CellWidth.of(keyName(binding)) + 1 + CellWidth.of(binding.shownLabel)
    }

    /// On a small screen the shorter of a key's names.
    private func keyName(_ binding: Binding<Command>) -> String {
        let names = binding.keys.map(\.name)
        guard layout.width < .regular else { return names[0] }
        return names.min { $0.count < $1.count } ?? names[0]
    }

    private mutating func drawKey(_ binding: Binding<Command>, column: Int, row: Int) {
        let width = canvas.text(
            keyName(binding), column: column, row: row, style: theme.bar.adding(.bold))
        canvas.text(binding.shownLabel, column: column + width + 1, row: row, style: theme.bar)
        let place = Rect(column: column, row: row, columns: footerWidth(binding), rows: 1)
        canvas.offerTap(on: TapTarget(binding.keys[0]), in: place)
    }
}

extension FindingTally {
    /// `▲3, 1 corrected`
    fileprivate func brief(_ symbol: String) -> String? {
        guard count > 0 else { return nil }
        let found = "\(symbol)\(count)"
        return corrected > 0 ? say("\(found), \(corrected) corrected") : found
    }

    /// How many, and with a stroke between how many of them were corrected on site: `3/1`.
    fileprivate var short: String? {
        guard count > 0 else { return nil }
        return corrected > 0 ? "\(count)/\(corrected)" : "\(count)"
    }
}

extension Score {
    /// Where there is room for a word: the share, or that a critical item failed.
    fileprivate var short: String? {
        isFailed ? say("FAILED") : percent.map { "\(Int($0.rounded(.down)))%" }
    }
}

/// A piece of the status line.
struct StatusPart {
    let text: String
    let style: Style

    init(_ text: String, _ style: Style) {
        self.text = text
        self.style = style
    }
}
