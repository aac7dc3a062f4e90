import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit
import Testing

/// A person before the screen, told key by key. Effects are performed at once by a fake store
/// unless the story holds them back.
struct Story {
    var state: AppState
    var field = FakeField()
    var now = Moment(uptime: 1_000_000, wall: 1_772_438_400_000, today: CivilDate("2026-03-02"))
    /// Effects that wait, while `holds` is true: a slow disk.
    var held: [Effect] = []
    var holds = false
    /// Every effect so far.
    var effects: [Effect] = []

    static let freezer = RecordID("freezer-inspection")

    /// Two sites with an inspection each, the second with a due day.
    init(demo: AppState.Demo? = nil, form: FormDefinition? = nil) throws {
        state = AppState(now: now, demo: demo)
        let form = try form ?? Self.form()
        field.inspections[Self.freezer] = InspectionPicture(
            id: Self.freezer, name: "FRZ-1", site: "Harbour", form: form, state: .assigned,
            due: "2026-03-04")
        let chiller = RecordID("chiller-inspection")
        field.inspections[chiller] = InspectionPicture(
            id: chiller, name: "CHL-2", site: "Depot", form: form, state: .inProgress)
    }

    static func form() throws -> FormDefinition {
        try FormDefinition(
            id: "round", version: "1", title: "Round",
            sections: [
                Section(
                    name: "readings", title: "Readings",
                    questions: [
                        Question(
                            path: "pressure", label: "Pressure", type: .decimal, required: true,
                            unit: "psi",
                            limits: NumberLimits(
                                hardMinimum: 0, hardMaximum: 600, softMinimum: 20,
                                softMaximum: 400)),
                        Question(
                            path: "leak", label: "Leak", type: .choice, required: true,
                            choices: [
                                Choice(name: "yes", label: "Yes"), Choice(name: "no", label: "No"),
                            ]),
                        Question(
                            path: "rate", label: "Leak rate", type: .integer, required: true,
                            relevant: FormExpression("/data/leak = 'yes'")),
                    ]),
                Section(
                    name: "state", title: "State",
                    questions: [
                        Question(path: "seals", label: "Seals", type: .verdict, required: true),
                        Question(path: "next", label: "Next visit", type: .date),
                        Question(
                            path: "notes", label: "Notes", type: .text(multiline: true)),
                        Question(path: "bye", label: "Thank you", type: .note),
                    ]),
            ])
    }

    // MARK: What a person does

    mutating func press(_ keys: KeyEvent...) {
        for key in keys {
            now.uptime += 50
            now.wall += 50
            send(.input(.key(key), now))
        }
    }

    mutating func type(_ text: String) {
        for scalar in text.unicodeScalars { press(.character(scalar)) }
    }

    mutating func scan(_ text: String) { send(.input(.scan(text), now)) }

    mutating func paste(_ text: String) { send(.input(.paste(text), now)) }

    /// Time passes with nobody at the keys; ticks come when the state asks for them.
    mutating func wait(_ milliseconds: Int64) {
        let end = now.uptime + milliseconds
        while let due = state.deadline, due <= end {
            now.wall += max(0, due - now.uptime)
            now.uptime = max(due, now.uptime)
            let before = state.deadline
            send(.tick(now))
            if state.deadline == before { break }
        }
        now.wall += end - now.uptime
        now.uptime = end
    }

    mutating func unlock() {
        type(field.pin)
        press(.enter)
    }

    /// Unlocks and opens the freezer's inspection.
    mutating func openFreezer() {
        unlock()
        state.worklist.focus.focus(Self.freezer)
        press(.enter)
    }

    // MARK: What the world does

    mutating func send(_ message: AppMessage) {
        var messages = [message]
        while !messages.isEmpty {
            for effect in update(&state, messages.removeFirst()) {
                effects.append(effect)
                if holds {
                    held.append(effect)
                } else {
                    messages += field.perform(effect)
                }
            }
        }
    }

    mutating func release() {
        holds = false
        let waiting = held
        held = []
        for effect in waiting {
            for message in field.perform(effect) { send(message) }
        }
    }

    // MARK: What is seen

    var screen: InspectionScreen? {
        for case .inspection(let screen) in state.layers.layers { return screen }
        return nil
    }

    var focus: AnswerKey? { screen?.focus.focused }

    func value(_ key: AnswerKey) -> FieldValue { screen?.value(of: key) ?? .null }

    func stored(_ key: AnswerKey) -> FieldValue {
        field.inspections[Self.freezer]?.answers[key]?.value ?? .null
    }
}

/// A question of the inspection itself.
extension AnswerKey: ExpressibleByStringLiteral {
    public init(stringLiteral path: String) { self.init(path) }
}

extension KeyEvent {
    static func function(_ number: Int) -> KeyEvent { KeyEvent(Key.function(number)) }
    static let up = KeyEvent(Key.up)
    static let down = KeyEvent(Key.down)
    static let delete = KeyEvent(Key.delete)
    static let backspace = KeyEvent(Key.backspace)
}
