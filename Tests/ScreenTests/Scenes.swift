import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit

/// Every screen with something on it. Clock and ids are frozen.
enum Scenes {
    static let now = Moment(
        uptime: 1_000_000, wall: 1_772_438_400_000, today: CivilDate("2026-03-02"))
    static let freezer = RecordID("00000000-0000-4000-8000-000000000001")

    static func all() throws -> [(name: String, state: AppState)] {
        var scenes: [(String, AppState)] = [
            ("unlock", locked()), ("worklist", try worklist()), ("filter", try filter()),
            ("inspection", try inspection()), ("number", try number()), ("note", try longText()),
            ("problems", try problems()), ("second-visit", try secondVisit()),
            ("newer-version", try newerVersion()), ("move", try move()),
            ("orphans", try orphans()),
            ("verdict", try verdict()),
            ("recovered", try recovered()), ("status", try status()),
            ("nothing-waits", try nothingWaits()), ("review", try review()),
            ("review-edit", try reviewEdit()),
        ]
        scenes += [
            ("sections", try pressing(inspection(), KeyEvent(.function(6)))),
            ("choices", try pressing(focused("refrigerant"), .enter)),
            ("help", try pressing(inspection(), KeyEvent(.function(1)))),
            ("palette", try pressing(worklist(), .character(":"))),
            ("discard", try pressing(status(), .character("d"))),
            ("discard-new", try pressing(status(), KeyEvent(.end), .character("d"))),
            ("empty", try empty()), ("draining", try draining()),
        ]
        scenes += try pumpScenes()
        scenes += try findingScenes()
        scenes += try rowScenes()
        scenes += try historyScenes()
        scenes += try worklistScenes()
        scenes += try settingsScenes()
        return scenes.map { (name: $0.0, state: $0.1) }
    }

    // MARK: Steps

    static func receiving(_ state: AppState, _ messages: AppMessage...) -> AppState {
        var state = state
        for message in messages { _ = update(&state, message) }
        return state
    }

    static func pressing(_ state: AppState, _ keys: KeyEvent...) throws -> AppState {
        var state = state
        for key in keys { _ = update(&state, .input(.key(key), now)) }
        return state
    }

    static func typing(_ text: String, _ state: AppState) -> AppState {
        var state = state
        for scalar in text.unicodeScalars {
            _ = update(&state, .input(.key(.character(scalar)), now))
        }
        return state
    }

    // MARK: Scenes

    static func draining() throws -> AppState {
        var state = try status()
        state.status.isListCut = true
        return receiving(
            state, .sync(.started), .sync(.moving(sent: 1250, of: 50_000, fetched: 0)))
    }

    /// The form has been published again meanwhile.
    static func newerVersion() throws -> AppState {
        var picture = try picture()
        picture.newerVersion = "2"
        picture.conflicts = []
        return receiving(try opening(), .inspection(picture))
    }

    static func move() throws -> AppState {
        let filling = FormFilling(
            try form(), answers: try picture().stored, in: .looking(at: now.wall))
        let move = FormMove(
            filling, to: try secondForm(), laidID: { "laid \($0)" },
            countedID: { "\($0.path) \($1)" })
        return receiving(try newerVersion(), .movePlanned(freezer, MoveWords(move)))
    }

    static func orphans() throws -> AppState {
        var picture = try picture()
        picture.form = try secondForm()
        return try pressing(receiving(opening(), .inspection(picture)), KeyEvent(.end))
    }

    /// Begun a moment ago, with all that the last visit found beside it.
    static func secondVisit() throws -> AppState {
        var picture = try picture()
        picture.answers = ["seals": AnswerPicture(value: .string("fail"), standing: .savedHere)]
        picture.conflicts = []
        return try pressing(receiving(opening(), .inspection(picture)), .tab, .tab)
    }

    static func locked() -> AppState {
        let state = typing("2468", AppState(now: now, demo: AppState.Demo(pin: "246810")))
        return receiving(state, .unlockRefused(.wrongPIN))
    }

    static func worklist() throws -> AppState {
        receiving(
            AppState(now: now), .unlocked, .worklist(rows), .status(counts(queue: [])),
            .sync(.offline("no route to the server")))
    }

    static func filter() throws -> AppState {
        typing("frz", try pressing(worklist(), .character("/")))
    }

    static func empty() throws -> AppState {
        receiving(AppState(now: now), .unlocked, .worklist([]))
    }

    static func inspection() throws -> AppState {
        receiving(try opening(), .inspection(try picture()))
    }

    static func opening() throws -> AppState {
        var state = try worklist()
        state.worklist.focus.focus(freezer)
        return try pressing(state, .enter)
    }

    static func focused(_ path: AnswerKey) throws -> AppState {
        var state = try inspection()
        guard case .inspection(var screen) = state.layers.top else { return state }
        screen.focus.focus(path)
        screen.focus.settle(screen.keys)
        state.layers.top = .inspection(screen)
        return state
    }

    static func number() throws -> AppState {
        typing("142", try focused("pressure"))
    }

    static func longText() throws -> AppState {
        let open = try pressing(focused("notes"), .enter)
        return typing(" Door frame iced over; 霜 on the gasket, e\u{301}vaporator noisy.", open)
    }

    static func verdict() throws -> AppState { try focused("seals") }

    static func problems() throws -> AppState {
        try pressing(inspection(), KeyEvent(.function(5)))
    }

    static func recovered() throws -> AppState {
        var picture = try picture()
        picture.drafts["pressure"] = "9999"
        picture.lastTyped = now.wall - 125_000
        return receiving(try opening(), .inspection(picture))
    }

    static func status() throws -> AppState {
        let open = try pressing(worklist(), .character("t"))
        return receiving(open, .status(counts(queue: queue)))
    }

    static func nothingWaits() throws -> AppState {
        var picture = StatusPicture()
        picture.lastSync = now.wall - 120_000
        picture.device = "handheld-7"
        picture.digestsAgree = true
        let open = try pressing(worklist(), .character("t"))
        return receiving(open, .status(picture))
    }

    static func review() throws -> AppState {
        let open = try pressing(status(), KeyEvent(.down), .enter)
        return try pressing(receiving(open, .conflict(try conflict())), .character("m"))
    }

    static func reviewEdit() throws -> AppState {
        typing("!", try pressing(review(), .character("e")))
    }
}
