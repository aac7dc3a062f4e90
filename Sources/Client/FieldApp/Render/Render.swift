import Forms
import Phrases
import Replication
package import TerminalKit

/// The whole appearance of the screen: state and size in, cells out. Pure but for `scroll`, which is
/// where the lists stood in the last frame.
package func render(
    _ state: AppState, size: Size, look: Look, scroll: inout Scroll
) -> Canvas {
    var frame = Frame(state: state, size: size, look: look, scroll: scroll)
    frame.draw()
    scroll = frame.scroll
    return frame.canvas
}

/// Where each list stood in the last frame. No part of the state: it decides nothing.
package struct Scroll: Sendable {
    var worklist = ScrollAnchor<WorklistRow.ID>()
    var inspection = ScrollAnchor<AnswerKey>()
    var sections = ScrollAnchor<Int>()
    var choices = LongListAnchor()
    var rows = LongListAnchor()
    var finding = ScrollAnchor<FindingField>()
    var findings = ScrollAnchor<RecordID>()
    var why = ScrollAnchor<Int>()
    var history = ScrollAnchor<Int>()
    var move = ScrollAnchor<Int>()
    var begin = ScrollAnchor<BeginScreen.Offer>()
    var queue = ScrollAnchor<QueueRow.ID>()
    var review = ScrollAnchor<String>()
    var settings = ScrollAnchor<ScreenSetting>()
    var keys = ScrollAnchor<Command>()
    var about = ScrollAnchor<Int>()
    var commands = ScrollAnchor<AppState.Entry.Subject>()

    package init() {}
}

/// One frame while it is being drawn.
struct Frame {
    let state: AppState
    let look: Look
    let layout: Layout
    var canvas: Canvas
    var scroll: Scroll

    init(state: AppState, size: Size, look: Look, scroll: Scroll) {
        self.state = state
        self.look = look
        self.scroll = scroll
        layout = Layout(size)
        canvas = Canvas(size: size, tier: look.tier, style: look.theme.body)
    }

    var theme: Theme { look.theme }
    var glyphs: Glyphs { look.glyphs }
    var size: Size { canvas.size }

    mutating func draw() {
        guard layout.width != .none else {
            drawTooSmall()
            return
        }
        var space = Rect(size)
        drawTitle(in: space.cutTop(layout.titleRows))
        let footer = space.cutBottom(layout.footerRows)
        drawStatus(in: space.cutBottom(layout.statusRows + messageOverflow))
        if showsPanel { drawPanel(in: space.cutRight(Layout.panelColumns)) }
        canvas.cursor = Position(column: space.column, row: space.row)
        for layer in visibleLayers {
            canvas.withdrawTaps()
            draw(layer, in: space)
        }
        drawFooter(in: footer)
    }

    /// The top layer, and those beneath it as far as each leaves some of the next to be seen.
    private var visibleLayers: ArraySlice<Layer> {
        let layers = state.layers.layers
        guard layout.boxesFit else { return layers.suffix(1) }
        return layers[(layers.lastIndex { !$0.standsOver } ?? 0)...]
    }

    private mutating func draw(_ layer: Layer, in space: Rect) {
        switch layer {
        case .unlock(let screen): drawUnlock(screen, in: space)
        case .worklist: drawWorklist(in: space)
        case .begin(let screen): drawBegin(screen, in: space)
        case .inspection(let screen): drawInspection(screen, in: space)
        case .sections(let screen): drawSections(screen, in: space)
        case .picker(let screen): drawPicker(screen, in: space)
        case .rows(let screen): drawRows(screen, in: space)
        case .finding(let screen): drawFinding(screen, in: space)
        case .findings(let screen): drawFindings(screen, in: space)
        case .why(let screen): drawWhy(screen, in: space)
        case .history(let screen): drawHistory(screen, in: space)
        case .move(let screen): drawMove(screen, in: space)
        case .status(let screen): drawQueue(screen, in: space)
        case .review(let screen): drawReview(screen, in: space)
        case .settings(let screen): drawSettings(screen, in: space)
        case .keys(let screen): drawKeys(screen, in: space)
        case .about(let screen): drawAbout(screen, in: space)
        case .help(let screen): drawHelp(screen, in: space)
        case .palette(let screen): drawPalette(screen, in: space)
        case .confirm(let confirmation): drawConfirmation(confirmation, in: space)
        }
    }

    /// Below 20×5 nothing can be worked with; what was typed is safe all the same.
    private mutating func drawTooSmall() {
        let sentence = say("need 20x5, have \(size.columns)x\(size.rows); draft is safe")
        canvas.lines(TextFlow.wrapped(sentence, to: size.columns), in: Rect(size))
    }
}

extension Layer {
    /// Whether it is drawn as a box before the layer beneath.
    fileprivate var standsOver: Bool {
        switch self {
        case .sections, .picker, .rows, .finding, .findings, .confirm: true
        case .unlock, .worklist, .begin, .inspection, .why, .history, .move, .status, .review,
            .settings, .keys, .about, .help, .palette:
            false
        }
    }
}
