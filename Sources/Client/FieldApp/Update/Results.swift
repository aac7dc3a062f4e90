import Coding
import Replication
import TerminalKit

/// What comes back from the store and the worker.
extension AppState {
    mutating func receiveResult(_ message: AppMessage) -> [Effect] {
        switch message {
        case .worklist(let rows):
            worklist.replace(rows)
        case .status(let picture):
            status = picture
            settleStatus()
        case .inspection(let picture):
            changeInspection(picture.id) { $0.show(picture) }
            tellOfRecoveredDrafts(picture.id)
        case .conflict(let picture):
            changeReview(picture.id) { $0.show(picture) }
            // Until the review is left, nobody's later value slips under the ones that are shown.
            return [.hold(picture.id, picture.fields.map(\.path))]
        case .noConflict(let id):
            return closeReview(id, saying: Notice("Nothing is in conflict there any more", .good))
        case .saved(let edit, let picture):
            return receive(saved: edit, picture)
        case .notSaved(let edit, let refusal):
            return receive(notSaved: edit, refusal)
        case .draftSaved(let id, let path, let text):
            changeInspection(id) { $0.keepDraft(text, of: path) }
        case .draftNotSaved(_, _, let refusal):
            notice = Notice("The draft could not be stored: \(refusal.text)", .bad)
        case .done(let deed):
            return receive(done: deed)
        case .refused(let deed, let refusal):
            receive(refused: deed, refusal)
        case .sync(let news):
            return receive(news)
        case .input, .tick, .resized, .hangUp, .suspending, .lockDemanded, .unlocked,
            .unlockRefused:
            break
        }
        return []
    }

    private mutating func tellOfRecoveredDrafts(_ id: RecordID) {
        guard let screen = inspectionScreen, screen.id == id, notice == nil,
            !screen.recovered.isEmpty
        else { return }
        let count = screen.recovered.count
        notice = Notice(
            count == 1
                ? "Recovered what was typed for one question; F8 goes there"
                : "Recovered what was typed for \(count) questions; F8 goes there", .good)
        // Said once: from now on they are drafts like any other.
        changeInspection(id) { $0.recovered = [] }
    }

    private mutating func receive(saved edit: EditID, _ picture: InspectionPicture) -> [Effect] {
        changeInspection(picture.id) { [now] screen in
            guard screen.end(edit, showing: picture) != nil else { return }
            screen.savedAt = now.wall
        }
        warning = nil
        return [.loadStatus, .loadWorklist]
    }

    /// The stored value is shown again, and the text that could not be stored stays as a draft.
    private mutating func receive(notSaved edit: EditID, _ refusal: StoreRefusal) -> [Effect] {
        var effects: [Effect] = []
        for case .inspection(let other) in layers.layers {
            changeInspection(other.id) { screen in
                guard let write = screen.end(edit, showing: nil) else { return }
                screen.blamed.insert(write.path)
                guard let text = write.text else { return }
                screen.keepDraft(text, of: write.path)
                effects.append(.draft(screen.id, path: write.path, text: text))
            }
        }
        notice = Notice("Not saved: \(refusal.text)", .bad)
        if refusal.cause == .queueFull || refusal.cause == .disk { warning = refusal.text.sentence }
        return effects
    }

    private mutating func receive(done deed: Deed) -> [Effect] {
        switch deed {
        case .complete:
            notice = Notice("Complete. It goes out with the next synchronisation", .good)
        case .reopen: notice = Notice("In progress again")
        case .retry: notice = Notice("Waits to be sent again")
        case .discard: notice = Notice("Discarded; the confirmed values are back")
        case .resolve(let id):
            return closeReview(id, saying: Notice("Settled", .good)) + refresh()
        case .open, .refresh: break
        }
        return refresh()
    }

    private mutating func receive(refused deed: Deed, _ refusal: StoreRefusal) {
        notice = Notice(refusal.text.sentence, .bad)
        switch deed {
        case .resolve(let id): changeReview(id) { $0.isSettling = false }
        case .open(let id):
            if let screen = inspectionScreen, screen.id == id, screen.picture == nil {
                layers.pop()
            }
        case .complete, .reopen, .retry, .discard, .refresh: break
        }
    }

    private mutating func receive(_ news: SyncNews) -> [Effect] {
        switch news {
        case .started:
            isSyncing = true
            return []
        case .changed:
            return refresh()
        case .finished(let pushed, let pulled, let isComplete):
            network = .online
            let counts = "\(pushed) sent, \(pulled) fetched"
            tellOfCycle(
                isComplete
                    ? Notice("Synchronised: \(counts)", .good)
                    : Notice("Exchanged, but not proved equal: \(counts)"),
                moved: pushed + pulled > 0)
        case .offline(let reason):
            network = .offline(reason)
            tellOfCycle(Notice("Offline: \(reason)"), moved: false)
        case .failed(let reason):
            tellOfCycle(Notice("Not synchronised: \(reason)", .bad), moved: true)
        case .revoked:
            warning = "The server refuses this device; everything is kept"
        }
        isSyncing = false
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

    /// Takes the review away with whatever stands over it.
    private mutating func closeReview(_ id: RecordID, saying notice: Notice) -> [Effect] {
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
