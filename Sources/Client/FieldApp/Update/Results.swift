import Coding
import Forms
import Phrases
import Replication
import TerminalKit

/// What comes back from the store and the worker.
extension AppState {
    mutating func receiveResult(_ message: AppMessage) -> [Effect] {
        switch message {
        case .worklist(let rows):
            worklist.replace(rows)
        case .beginnings(let beginnings):
            receive(beginnings: beginnings)
        case .begun(let id):
            return receive(begun: id)
        case .status(let picture):
            tellOfOffers(picture)
            tellOfMissing(picture)
            tellOfStranded(picture)
            status = picture
            settleStatus()
        case .inspection(let picture):
            let leaving = leaveEditor(goneFrom: picture)
            let shown = show(picture)
            tellOfRecoveredDrafts(picture.id)
            return leaving + shown
        case .conflict(let picture):
            changeReview(picture.id) { $0.show(picture) }
            // Until the review is left, nobody's later value slips under the ones that are shown.
            return [.hold(picture.id, picture.fields.map(\.path))]
        case .noConflict(let id):
            return closeReview(
                id, saying: Notice(say("Nothing is in conflict there any more"), .good))
        case .saved(let edit, let id, let picture):
            return receive(saved: edit, of: id, picture)
        case .notSaved(let answer):
            receive(notSaved: answer)
        case .draftSaved(let id, let key, let text):
            unkept.remove(DraftPlace(inspection: id, key))
            changeInspection(id) { $0.keepDraft(text, of: key) }
        case .draftNotSaved(let id, let key, let text, let refusal):
            notice = Notice(say("The draft could not be stored: \(refusal.text)"), .bad)
            if let text { keepTrying(text, of: key, on: id) }
        case .rowAdded(let id, let row, let picture):
            return receive(added: row, to: id, picture)
        case .rowDeleted(let id, let row, let picture):
            return receive(deleted: row, of: id, picture)
        case .findingRaised(let id, let finding, let picture):
            return receive(raised: finding, of: id, picture)
        case .findingChanged(let id, let finding, let picture):
            return receive(changed: finding, of: id, picture)
        case .findingRemoved(let id, let finding, let picture):
            return receive(removed: finding, of: id, picture)
        case .movePlanned(let id, let words):
            receive(planned: words, of: id)
        case .history(let id, let visits):
            receive(history: visits, of: id)
        case .about(let lines):
            receive(about: lines)
        case .spoken(let language):
            receive(spoken: language)
        case .done(let deed):
            return receive(done: deed)
        case .refused(let deed, let refusal):
            return receive(refused: deed, refusal)
        case .sync(let news):
            return receive(news)
        case .input, .tap, .tick, .resized, .hangUp, .suspending, .lockDemanded, .unlocked,
            .unlockRefused:
            break
        }
        return []
    }

    /// Said with each unlocking, until somebody has decided.
    private mutating func tellOfOffers(_ picture: StatusPicture) {
        guard picture.offered > status.offered else { return }
        notice = Notice(
            picture.offered == 1
                ? say("1 change is in the journal alone, neither shown nor sent: 'walkdown doctor'")
                : say(
                    """
                    \(picture.offered) changes are in the journal alone, neither shown nor sent: \
                    'walkdown doctor'
                    """), .bad)
    }

    /// The graver of the two, so said after the other.
    private mutating func tellOfMissing(_ picture: StatusPicture) {
        guard picture.missing > status.missing else { return }
        notice = Notice(
            picture.missing == 1
                ? say("1 saved change is missing since damage: 'walkdown doctor'")
                : say(
                    "\(picture.missing) saved changes are missing since damage: 'walkdown doctor'"),
            .bad)
    }

    /// A row under somebody's fingers was deleted elsewhere, say: the text is nowhere else on the screen.
    /// Whoever looks at the status pane has it before him.
    private mutating func tellOfStranded(_ picture: StatusPicture) {
        if case .status = layers.top { return }
        let known = Set(status.rows.filter { $0.stranded != nil }.map(\.id))
        guard
            let row = picture.rows.first(where: { $0.stranded != nil && !known.contains($0.id) })
        else { return }
        let labels = row.labels.map { $0.plain(in: language) }.joined(separator: ", ")
        let place = labels.isEmpty ? row.name : "\(row.name) (\(labels))"
        notice = Notice(
            say(
                "What was typed in \(place) has no place any more: t shows it"), .bad)
    }

    /// Goes to the first of them, so that nobody has to look for it.
    private mutating func tellOfRecoveredDrafts(_ id: RecordID) {
        guard let screen = inspectionScreen, screen.id == id, screen.editor == nil,
            let first = screen.filling?.everyKey.first(where: screen.recovered.contains)
        else { return }
        let count = screen.recovered.count
        let time = screen.picture?.lastTyped.map { " (\(TimeText(moment: now).clock($0)))" } ?? ""
        notice = Notice(
            count == 1
                ? say(
                    """
                    Recovered what was typed for \(screen.label(of: first))\(time):\
                     Enter goes on with it
                    """)
                : say(
                    """
                    Recovered what was typed for \(count) questions\(time);\
                     F8 goes from one to the next
                    """),
            .good)
        // Said once: from now on they are drafts like any other.
        changeInspection(id) { screen in
            screen.recovered = []
            screen.go(to: first)
        }
    }

    private mutating func receive(
        saved edit: EditID, of id: RecordID, _ picture: InspectionPicture?
    ) -> [Effect] {
        changeInspection(id) { [now, self] screen in
            guard let form = screen.picture?.form,
                screen.end(edit, showing: picture, in: surroundings(for: form))
            else { return }
            screen.savedAt = now.wall
        }
        settleRows()
        openAwaitedFinding(of: id)
        let settled = settleFindings()
        warning = nil
        let reload: [Effect] = picture == nil ? [.loadInspection(id)] : []
        return settled + reload + [.loadStatus, .loadWorklist]
    }

    /// The stored value is shown again, and the text that could not be stored stays as a draft.
    private mutating func receive(notSaved answer: UnsavedAnswer) {
        changeInspection(answer.inspection) { [self] screen in
            guard let form = screen.picture?.form,
                screen.takeBack(answer.edit, in: surroundings(for: form))
            else { return }
            screen.blamed.insert(answer.key)
            if let text = answer.text { screen.keepDraft(text, of: answer.key) }
        }
        if let text = answer.text, !answer.isDraftKept {
            keepTrying(text, of: answer.key, on: answer.inspection)
        }
        notice = Notice(answer.sentence, .bad)
        let refusal = answer.refusal
        if refusal.cause == .queueFull || refusal.cause == .disk { warning = refusal.text.sentence }
    }

    /// An editor that is still open has newer text than what failed.
    private mutating func keepTrying(_ text: String, of key: AnswerKey, on id: RecordID) {
        let place = layers.layers.lastIndex { $0.record == id && $0.isEditing(key) }
        if let place {
            layers[place].setDraftDue(now.uptime + UnkeptDrafts.pause)
        } else {
            unkept.keep(text, at: DraftPlace(inspection: id, key), now: now.uptime)
        }
    }

    private mutating func receive(done deed: Deed) -> [Effect] {
        switch deed {
        case .complete:
            notice = Notice(say("Complete. It goes out with the next synchronisation"), .good)
        case .reopen: notice = Notice(say("In progress again"))
        case .move:
            notice = Notice(
                say("Moved; what this version does not ask for stands at the end"), .good)
        case .retry: notice = Notice(say("Waits to be sent again"))
        case .discard: notice = Notice(say("Discarded; the confirmed values are back"))
        case .resolve(let id):
            return dropBegun(in: id) + closeReview(id, saying: settled(id)) + refresh()
        case .keepSetting: return []
        case .open, .begin, .addRow, .deleteRow, .finding, .planMove, .readHistory, .refresh,
            .setBackground:
            break
        }
        return refresh()
    }

    private mutating func receive(
        refused deed: Deed, _ refusal: StoreRefusal
    ) -> [Effect] {
        notice = Notice(refusal.text.sentence, .bad)
        switch deed {
        case .resolve(let id):
            changeReview(id) { $0.isSettling = false }
            // Perhaps the other side has changed: then it is shown, and decided about anew.
            return [.loadConflict(id)]
        case .open(let id):
            if let screen = inspectionScreen, screen.id == id, screen.picture == nil {
                layers.pop()
            }
        case .begin: receive(notBegun: refusal)
        case .addRow, .deleteRow:
            if refusal.cause == .queueFull || refusal.cause == .disk {
                warning = refusal.text.sentence
            }
        case .finding(let id):
            if refusal.cause == .queueFull || refusal.cause == .disk {
                warning = refusal.text.sentence
            }
            return takeBackFindings(of: id)
        case .complete(let id):
            // What stands in the way came in meanwhile, or the form has raised it just now.
            return [.loadInspection(id), .loadStatus]
        case .readHistory:
            // There is nothing to show in it.
            if case .history(let screen) = layers.top, screen.visits == nil { layers.pop() }
        case .keepSetting:
            notice = Notice(say("Not kept for the next time: \(refusal.text)"), .bad)
        case .setBackground(let isOn): status.isBackgroundOff = isOn
        case .reopen, .planMove, .move, .retry, .discard, .refresh: break
        }
        return []
    }

    private mutating func receive(_ news: SyncNews) -> [Effect] {
        switch news {
        case .started:
            isSyncing = true
            return []
        case .moving(let sent, let total, let fetched):
            // The figures alone: to load the lists anew with each batch would slow down both.
            cycleProgress = AppState.CycleFigures(sent: sent, total: total, fetched: fetched)
            status.pending = total - sent
            status.inFlight = 0
            network = .online
            return []
        case .changed:
            return refresh()
        case .finished(let pushed, let pulled, let isComplete):
            network = .online
            let counts = say("\(pushed) sent, \(pulled) fetched")
            tellOfCycle(
                isComplete
                    ? Notice(say("Synchronised: \(counts)"), .good)
                    : Notice(say("Exchanged, but not proved equal: \(counts)")),
                moved: pushed + pulled > 0)
        case .offline(let reason):
            network = .offline(reason)
            tellOfCycle(Notice(say("Offline: \(reason)")), moved: false)
        case .failed(let reason):
            tellOfCycle(Notice(say("Not synchronised: \(reason)"), .bad), moved: true)
        case .revoked:
            warning = say("The server refuses this device; everything is kept")
        }
        isSyncing = false
        cycleProgress = nil
        isSyncDemanded = false
        return refresh()
    }

    /// A cycle that came by itself is mentioned where something moved and nothing else is said.
    private mutating func tellOfCycle(_ news: Notice, moved: Bool) {
        if isSyncDemanded || (moved && notice == nil) { notice = news }
    }

    /// Asks anew for everything that is on the screen.
    func refresh() -> [Effect] {
        var effects: [Effect] = [.loadWorklist, .loadStatus]
        for layer in layers.layers {
            switch layer {
            case .inspection(let screen): effects.append(.loadInspection(screen.id))
            case .review(let screen): effects.append(.loadConflict(screen.id))
            default: break
            }
        }
        return effects
    }

    private mutating func changeReview(
        _ id: RecordID, _ change: (inout ReviewScreen) -> Void
    ) {
        for index in layers.layers.indices {
            guard case .review(var screen) = layers[index], screen.id == id else { continue }
            change(&screen)
            layers[index] = .review(screen)
        }
    }

    /// The third values that were begun have served.
    private func dropBegun(in id: RecordID) -> [Effect] {
        layers.layers.flatMap { layer -> [Effect] in
            guard case .review(let screen) = layer, screen.id == id else { return [] }
            return screen.begun.keys.sorted().map { .draft(id, AnswerKey($0), text: nil) }
        }
    }

    /// Takes the review away with whatever stands over it.
    private func settled(_ id: RecordID) -> Notice {
        let givesUpBundled = layers.layers.contains { layer in
            guard case .review(let screen) = layer, screen.id == id else { return false }
            return screen.picture?.isInBundle == true
                && screen.decisions.values.contains { $0 != .mine }
        }
        return Notice(
            givesUpBundled
                ? say(
                    """
                    Settled; a bundle of before, imported later, brings back what was given up
                    """)
                : say("Settled"), .good)
    }

    private mutating func closeReview(_ id: RecordID, saying notice: Notice) -> [Effect] {
        leftReviews[id] = nil
        let isOpen = layers.layers.contains { layer in
            if case .review(let screen) = layer { screen.id == id } else { false }
        }
        guard isOpen else { return [] }
        var effects: [Effect] = []
        while let layer = layers.pop() {
            effects += releaseHolds(of: layer)
            if case .review(let screen) = layer, screen.id == id { break }
        }
        self.notice = notice
        return effects
    }
}
