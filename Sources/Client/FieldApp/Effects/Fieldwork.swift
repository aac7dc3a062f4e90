package import Coding
package import Crypto
package import Forms
package import Inspections
package import Replication
package import TerminalKit

/// Where what a person sets is kept for the next time.
package protocol SettingsKeeper: Sendable {
    /// - Parameter value: nil for what holds without one.
    func keep(_ setting: ScreenSetting, _ value: String?) throws(StoreRefusal)
    func keep(_ key: KeyEvent, for command: Command) throws(StoreRefusal)
    func forgetKeys(of command: Command) throws(StoreRefusal)
}

/// What the screen needs done: the store and the worker behind one protocol, so that tests can put
/// a few lines in their place.
///
/// Each call blocks until the disk has it (or the PIN has been tried) and may come from any thread,
/// one at a time: `EffectRunner` makes them on its queue.
package protocol Fieldwork: Sendable {
    func unlock(_ pin: SecretBytes) throws(UnlockRefusal)
    /// Closes the store, lets the key go from memory.
    func lock()

    func worklist() throws(StoreRefusal) -> [WorklistRow]
    /// What an inspection can begin with.
    func beginnings() throws(StoreRefusal) -> Beginnings
    /// Begins an inspection that nobody assigned.
    func begin(
        form: String, version: String, equipment: RecordID?
    ) throws(StoreRefusal) -> RecordID
    func status() throws(StoreRefusal) -> StatusPicture
    func inspection(_ id: RecordID) throws(StoreRefusal) -> InspectionPicture
    /// Earlier visits to the same equipment, the newest first.
    func visits(before id: RecordID) throws(StoreRefusal) -> [Visit]
    /// Nil where nothing is in conflict.
    func conflict(_ id: RecordID) throws(StoreRefusal) -> ConflictPicture?

    /// Stores an answer and gives the inspection as it is then; nil where it is stored and cannot be
    /// read. The question's draft goes with it.
    /// - Parameter agreed: whether rows with answers may go, where the answer is their count.
    func answer(
        _ key: AnswerKey, _ value: FieldValue, on id: RecordID, agreed: Bool
    ) throws(StoreRefusal) -> InspectionPicture?
    /// Adds a row at the end of a repeat.
    /// - Parameter parent: the row that it stands in; nil for one of the inspection itself.
    /// - Returns: its id, and the inspection as it is then, as far as that can be read.
    func addRow(
        of path: String, in parent: String?, on id: RecordID
    ) throws(StoreRefusal) -> (row: String, picture: InspectionPicture?)
    /// Deletes a row and all in it.
    func deleteRow(_ row: String, on id: RecordID) throws(StoreRefusal) -> InspectionPicture?
    /// Raises a finding by hand.
    /// - Returns: its id, and the inspection as it is then, as far as that can be read.
    func raiseFinding(
        on key: AnswerKey, of id: RecordID
    ) throws(StoreRefusal) -> (finding: RecordID, picture: InspectionPicture?)
    /// Says something of a finding. The draft of the same text goes with it.
    func changeFinding(
        _ finding: RecordID, by change: FindingChange, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture?
    func removeFinding(
        _ finding: RecordID, of id: RecordID
    ) throws(StoreRefusal) -> InspectionPicture?
    /// Keeps what is being typed; nil lets it go.
    func keepDraft(_ text: String?, of key: AnswerKey, on id: RecordID) throws(StoreRefusal)
    /// Fields of an inspection or a row that are on the screen to be edited: what is fetched meanwhile must not slip under
    /// the value that the person sees.
    func hold(_ paths: [String], of id: RecordID) throws(StoreRefusal)
    func release(_ paths: [String], of id: RecordID) throws(StoreRefusal)

    func complete(_ id: RecordID) throws(StoreRefusal)
    func reopen(_ id: RecordID) throws(StoreRefusal)
    /// What a move to the newest open version would do.
    func plannedMove(of id: RecordID) throws(StoreRefusal) -> MoveWords
    func move(_ id: RecordID, to version: String) throws(StoreRefusal)
    /// Refused where the other side is not what `shown` says any more.
    func resolve(
        _ id: RecordID, _ decisions: [String: Decision], shown: [String: FieldValue]
    ) throws(StoreRefusal)
    func retry(_ id: MutationID) throws(StoreRefusal)
    func discard(_ id: MutationID) throws(StoreRefusal)

    /// Keeps a setting of the screen for the next time; nil for what holds without one.
    func keep(_ setting: ScreenSetting, _ value: String?) throws(StoreRefusal)
    func keep(_ key: KeyEvent, for command: Command) throws(StoreRefusal)
    /// Forgets the keys that were bound to a command.
    func forgetKeys(of command: Command) throws(StoreRefusal)
    /// Whether cycles begin by themselves, from now on.
    func setBackground(on: Bool) throws(StoreRefusal)
    /// What this device is, and what is wrong with it.
    func examine() throws(StoreRefusal) -> [AboutLine]

    /// Begins a cycle, or sees to it that one follows the running one. Returns at once.
    func syncNow()
    /// The demo's switch.
    func setNetwork(on: Bool)
}
