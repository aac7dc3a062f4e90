import Phrases
package import TerminalKit

/// From a key to a command: the top layer's bindings first, then what the layer does with text.
extension AppState {
    package var place: Place {
        switch layers.top {
        case .unlock: .unlock
        case .worklist: worklist.isFiltering ? .filter : .worklist
        case .begin: .begin
        case .inspection(let screen): screen.place
        case .sections: .sections
        case .picker(let screen): screen.place
        case .rows: .rows
        case .finding(let screen): screen.editor == nil ? .finding : .findingText
        case .findings: .findings
        case .why: .why
        case .history: .history
        case .move: .move
        case .status: .status
        case .review(let screen): screen.editor == nil ? .review : .resolution
        case .help: .help
        case .palette: .palette
        case .settings: .settings
        case .keys: .keys
        case .about: .about
        case .confirm: .confirm
        }
    }

    package var keymap: Keymap<Command> {
        BindingTable.keymap(for: place, demo: demo != nil, own: ownKeys)
    }

    mutating func press(_ key: KeyEvent) -> [Effect] {
        guard !isTooSmall else { return pressUnseen(key) }
        if case .confirm(let confirmation) = layers.top {
            return answer(confirmation, with: key)
        }
        if case .keys(let screen) = layers.top, let awaiting = screen.awaiting {
            return bind(key, to: awaiting, screen)
        }
        forgetAwaitedFinding()
        if let command = keymap.command(for: key) { return perform(command) }
        switch place {
        case .unlock: return typePIN(key)
        case .inspection: return beginTyping(key)
        case .finding: return typeInFinding(key)
        case .editor, .range, .resolution, .findingText: return edit(key)
        case .picker, .marking, .markFilter, .ranking: return typeInPicker(key)
        case .filter, .help, .palette, .begin:
            editFilter { $0.handle(key) }
            return []
        case .worklist, .sections, .rows, .findings, .why, .history, .move, .status,
            .review, .settings, .keys, .about, .confirm:
            return []
        }
    }

    /// Whether nothing can be drawn but that.
    private var isTooSmall: Bool { Layout(size).width == .none }

    /// Where nothing is seen nothing is decided: text goes on into the field that is open, and one
    /// can leave.
    private mutating func pressUnseen(_ key: KeyEvent) -> [Effect] {
        if let command = keymap.command(for: key) {
            return [.quit, .redraw, .suspend].contains(command) ? perform(command) : []
        }
        return [.editor, .range, .resolution, .findingText].contains(place) ? edit(key) : []
    }

    /// Pasted text is text where text is taken, and nothing elsewhere: never a command.
    mutating func paste(_ text: String) -> [Effect] {
        switch place {
        case .unlock: return pastePIN(text)
        case .editor, .range, .resolution, .findingText: return pasteIntoEditor(text)
        case .filter, .picker, .markFilter, .help, .palette, .begin:
            editFilter { $0.paste(text) }
            return []
        case .inspection:
            notice = Notice(say("Enter opens the answer; then it takes what is pasted"))
            return []
        case .finding:
            notice = Notice(say("Enter opens the text; then it takes what is pasted"))
            return []
        case .worklist, .sections, .rows, .marking, .ranking, .findings, .why, .history, .move,
            .status, .review, .settings, .keys, .about, .confirm:
            return []
        }
    }

    /// Runs a command in the top layer, or says why it cannot be run.
    mutating func perform(_ command: Command) -> [Effect] {
        if let reason = whyDisabled(command) {
            notice = Notice(reason.sentence, .bad)
            return []
        }
        switch command {
        case .help:
            layers.push(.help(HelpScreen(about: place)))
            settleCommands()
            return []
        case .palette:
            let leaving = leaveEditor()
            layers.push(.palette(PaletteScreen(over: place)))
            settleCommands()
            return leaving
        case .quit: return quit()
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .mouse: return switchMouse()
        case .settings: return openSettings()
        case .about: return openAbout()
        case .lock: return lockNow()
        case .syncNow:
            isSyncDemanded = true
            notice = Notice(say("Synchronising"))
            return [.syncNow]
        case .statusPane: return openStatus()
        case .networkSwitch: return switchNetwork()
        case .language: return changeLanguage()
        case .comments: return openComments()
        case .back: return goBack()
        case .up, .down, .pageUp, .pageDown, .first, .last, .next, .previous:
            return move(command)
        default: return performHere(command)
        }
    }

    private mutating func performHere(_ command: Command) -> [Effect] {
        switch layers.top {
        case .unlock: return performUnlock(command)
        case .worklist: return performWorklist(command)
        case .begin: return performBegin(command)
        case .inspection: return performInspection(command)
        case .sections(let screen): return go(toSection: screen.focus.focused)
        case .picker: return performPicker(command)
        case .rows: return performRows(command)
        case .finding: return performFinding(command)
        case .findings: return performFindings(command)
        case .status: return performStatus(command)
        case .review: return performReview(command)
        case .palette(let screen): return run(screen)
        case .move(let screen): return command == .accept ? move(screen) : []
        case .history: return turnHistory(by: command == .lower ? -1 : 1)
        case .settings(let screen): return performSettings(command, screen)
        case .keys(let screen): return performKeys(command, screen)
        case .help, .why, .about, .confirm: return []
        }
    }

    /// Esc goes back one level: out of an editor, out of a filter, out of a layer. It never quits
    /// and never discards.
    private mutating func goBack() -> [Effect] {
        switch place {
        case .editor, .range, .resolution, .findingText: return leaveEditor()
        case .marking, .ranking: return leaveMarks()
        case .markFilter:
            stopFilteringMarks()
            return []
        case .begin: return leaveBeginnings()
        case .inspection where inspectionScreen?.row != nil: return leaveRow()
        case .filter:
            worklist.isFiltering = false
            worklist.editFilter { $0.replace(with: "") }
            return []
        case .worklist:
            worklist.editFilter { $0.replace(with: "") }
            return []
        default:
            let left = layers.pop()
            if case .review(let review) = left, !review.isSettling {
                leftReviews[review.id] = review
            }
            if case .confirm(var beneath) = layers.top {
                // The pause before a question begins anew for whoever comes back to it.
                beneath.quietUntil = now.uptime + Confirmation.quiet
                layers.top = .confirm(beneath)
            }
            return left.map(releaseHolds) ?? []
        }
    }

    private mutating func stopFilteringMarks() {
        guard case .picker(var picker) = layers.top else { return }
        picker.isFiltering = false
        picker.editFilter { $0.replace(with: "") }
        layers.top = .picker(picker)
    }

    private mutating func openStatus() -> [Effect] {
        let leaving = leaveEditor()
        if case .status = layers.top { return leaving }
        layers.push(.status(StatusScreen()))
        settleStatus()
        return leaving + [.loadStatus]
    }

    private mutating func switchNetwork() -> [Effect] {
        guard var demo else { return [] }
        demo.networkIsOn.toggle()
        self.demo = demo
        notice = Notice(
            demo.networkIsOn ? say("The demo's network is on") : say("The demo's network is off"))
        return [.setNetwork(on: demo.networkIsOn)]
    }
}

extension InspectionScreen {
    fileprivate var place: Place {
        guard let editor else { return .inspection }
        return editor.step == nil ? .editor : .range
    }
}

extension PickerScreen {
    fileprivate var place: Place {
        switch mode {
        case .one: .picker
        case .several: isFiltering ? .markFilter : .marking
        case .ranking: .ranking
        }
    }
}

extension String {
    /// The first letter as a capital, for reasons that stand alone.
    package var sentence: String { prefix(1).uppercased() + dropFirst() }
}
