import Coding
import Crypto
import FieldApp
import Forms
import Inspections
import Replication
import Synchronization
import TerminalKit
import Testing

/// Records what it is asked, and refuses what it is told to.
private final class RecordingFieldwork: Fieldwork {
    let log = Mutex<[String]>([])
    let pins = Mutex<[[UInt8]]>([])
    let refusal = Mutex<StoreRefusal?>(nil)
    let picture: InspectionPicture

    init() throws {
        picture = InspectionPicture(
            id: "i", name: "I", site: "S", form: try Story.form(), state: .inProgress)
    }

    private func note(_ what: String) throws(StoreRefusal) {
        log.withLock { $0.append(what) }
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
    }

    func unlock(_ pin: SecretBytes) throws(UnlockRefusal) {
        let bytes = pin.withBytes { Array($0) }
        pins.withLock { $0.append(bytes) }
        if bytes != Array("246810".utf8) { throw .wrongPIN }
    }

    func lock() { log.withLock { $0.append("lock") } }
    func worklist() throws(StoreRefusal) -> [WorklistRow] {
        try note("worklist")
        return []
    }
    func beginnings() throws(StoreRefusal) -> Beginnings {
        try note("beginnings")
        return Beginnings(forms: [], equipment: [])
    }
    func begin(
        form: String, version: String, equipment: RecordID?
    ) throws(StoreRefusal) -> RecordID {
        try note("begin \(form)")
        return "new"
    }
    func status() throws(StoreRefusal) -> StatusPicture {
        try note("status")
        return StatusPicture()
    }
    func inspection(_ id: RecordID) throws(StoreRefusal) -> InspectionPicture {
        try note("inspection")
        return picture
    }
    func conflict(_ id: RecordID) throws(StoreRefusal) -> ConflictPicture? {
        try note("conflict")
        return nil
    }
    func answer(
        _ key: AnswerKey, _ value: FieldValue, on id: RecordID, agreed: Bool
    ) throws(StoreRefusal) -> InspectionPicture? {
        try note("answer \(key.path)")
        return picture
    }
    func keepDraft(_ text: String?, of key: AnswerKey, on id: RecordID) throws(StoreRefusal) {
        try note("draft \(key.path)")
    }
    func addRow(
        of path: String, in parent: String?, on id: RecordID
    ) throws(StoreRefusal) -> (row: String, picture: InspectionPicture?) {
        try note("add \(path)")
        return ("row", nil)
    }

    func deleteRow(
        _ row: String, on id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try note("delete \(row)")
        return nil
    }

    func raiseFinding(
        on key: AnswerKey, of id: RecordID
    ) throws(StoreRefusal) -> (finding: RecordID, picture: InspectionPicture?) {
        try note("raise \(key.path)")
        return ("finding", nil)
    }

    func changeFinding(
        _ finding: RecordID, by change: FindingChange, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try note("change \(change.field)")
        return nil
    }

    func removeFinding(
        _ finding: RecordID, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture? {
        try note("remove finding")
        return nil
    }

    func hold(_ paths: [String], of id: RecordID) throws(StoreRefusal) { try note("hold") }
    func release(_ paths: [String], of id: RecordID) throws(StoreRefusal) { try note("release") }
    func complete(_ id: RecordID) throws(StoreRefusal) { try note("complete") }
    func reopen(_ id: RecordID) throws(StoreRefusal) { try note("reopen") }
    func visits(before id: RecordID) throws(StoreRefusal) -> [Visit] {
        try note("visits")
        return []
    }
    func plannedMove(of id: RecordID) throws(StoreRefusal) -> MoveWords {
        try note("plan a move")
        throw StoreRefusal(.other, "nothing to move to")
    }
    func move(_ id: RecordID, to version: String) throws(StoreRefusal) { try note("move") }
    func resolve(
        _ id: RecordID, _ decisions: [String: Decision], shown: [String: FieldValue]
    ) throws(StoreRefusal) {
        try note("resolve")
    }
    func retry(_ id: MutationID) throws(StoreRefusal) { try note("retry") }
    func discard(_ id: MutationID) throws(StoreRefusal) { try note("discard") }
    func keep(_ setting: ScreenSetting, _ value: String?) throws(StoreRefusal) {
        try note("keep \(setting.rawValue) \(value ?? "nothing")")
    }
    func keep(_ key: KeyEvent, for command: Command) throws(StoreRefusal) {
        try note("bind \(key.name)")
    }
    func forgetKeys(of command: Command) throws(StoreRefusal) {
        try note("unbind \(command.rawValue)")
    }
    func setBackground(on isOn: Bool) throws(StoreRefusal) { try note("background \(isOn)") }
    func examine() throws(StoreRefusal) -> [AboutLine] {
        try note("examine")
        return [AboutLine("a", "b")]
    }
    func syncNow() { log.withLock { $0.append("sync") } }
    func setNetwork(on: Bool) { log.withLock { $0.append("network \(on)") } }
}

@Suite("The effect runner")
struct EffectRunnerTests {
    private let fieldwork: RecordingFieldwork
    private let mailbox: Mailbox<AppMessage>
    private let runner: EffectRunner

    init() throws {
        fieldwork = try RecordingFieldwork()
        mailbox = try Mailbox()
        runner = EffectRunner(fieldwork: fieldwork, mailbox: mailbox)
    }

    private func messages(after effects: [Effect]) -> [String] {
        _ = runner.run(effects)
        runner.drain()
        return mailbox.take().map { String("\($0)".prefix { $0 != "(" }) }
    }

    @Test("effects are done in the order in which they were asked for")
    func order() {
        let told = messages(after: [
            .answer(EditID(1), "i", "a", .integer(1), text: "1", agreed: false),
            .draft("i", "b", text: "x"), .release("i", ["a"]), .lock,
        ])
        #expect(fieldwork.log.withLock { $0 } == ["answer a", "draft b", "release", "lock"])
        #expect(told == ["saved", "draftSaved"])
    }

    @Test("what is for the terminal comes back at once")
    func terminal() {
        #expect(
            runner.run([.redraw, .loadStatus, .flushInput, .quit]) == [
                .redraw, .flushInput, .quit,
            ])
    }

    @Test("a refusal comes back as a message of the thing that was refused")
    func refusal() {
        fieldwork.refusal.withLock { $0 = StoreRefusal(.disk, "full") }
        let told = messages(after: [
            .answer(EditID(1), "i", "a", .integer(1), text: "1", agreed: false),
            .draft("i", "b", text: "x"),
            .loadInspection("i"), .discard("m"),
        ])
        #expect(told == ["notSaved", "draftNotSaved", "refused", "refused"])
    }

    @Test("settings are kept in order, and what the device is comes back")
    func settings() {
        let told = messages(after: [
            .keepSetting(.theme, "sun"), .keepSetting(.characters, nil),
            .bind(.function(11), .syncNow), .unbind(.syncNow), .setBackground(on: false), .examine,
        ])
        #expect(
            fieldwork.log.withLock { $0 } == [
                "keep theme sun", "keep characters nothing", "bind F11", "unbind syncNow",
                "background false", "examine",
            ])
        #expect(told == ["done", "done", "done", "done", "done", "about"])
        #expect(
            runner.run([.speak("es"), .setLook(.sun, .ascii)]) == [
                .speak("es"), .look(.sun, .ascii),
            ])
    }

    @Test("the PIN reaches the vault as it was typed, and the pad forgets it")
    func pin() {
        for scalar in "é246809".unicodeScalars { _ = runner.run([.pin(.type(scalar))]) }
        _ = runner.run([.pin(.backspace)])
        #expect(messages(after: [.pin(.enter)]) == ["unlockRefused"])
        for scalar in "246810".unicodeScalars { _ = runner.run([.pin(.type(scalar))]) }
        #expect(messages(after: [.pin(.enter)]) == ["unlocked"])
        #expect(
            fieldwork.pins.withLock { $0 } == [Array("é24680".utf8), Array("246810".utf8)])
    }

    @Test("what was typed for a refused answer is kept as a draft in the same turn")
    func refusedAnswer() throws {
        fieldwork.refusal.withLock { $0 = StoreRefusal(.queueFull, "the queue is full") }
        _ = messages(after: [.answer(EditID(1), "i", "a", .integer(1), text: "1", agreed: false)])
        #expect(fieldwork.log.withLock { $0 } == ["answer a", "draft a"])
    }

    @Test("a PIN that is too short to be one is no try")
    func shortPIN() {
        for scalar in "24681".unicodeScalars { _ = runner.run([.pin(.type(scalar))]) }
        #expect(messages(after: [.pin(.enter)]) == ["unlockRefused"])
        #expect(fieldwork.pins.withLock { $0 }.isEmpty)
    }

    @Test("a PIN longer than the pad is cut off, not overrun")
    func longPIN() {
        for _ in 0..<300 { _ = runner.run([.pin(.type("温"))]) }
        _ = messages(after: [.pin(.enter)])
        #expect(fieldwork.pins.withLock { $0.first?.count } == 126)
    }
}
