internal import Coding
internal import Forms
internal import Inspections
internal import Replication

/// A device, and what it knew when it made its changes.
struct Sender {
    let device: Device
    let standpoint: Standpoint
    /// Of the server, in which the versions were given that it names; 0 where nobody knows.
    var epochOfVersions: Int64 = 0
    /// Whether all its bases are of that epoch.
    var hasExactBases = false
    /// Records that its batch makes.
    var makes: Set<RecordID> = []
    /// Of each record that its batch deletes, what changed below it after the device's cursor.
    var changedBelow: [RecordID: [RecordState]] = [:]
}

/// Whose change a mutation is, and who sends it, and so what it may do.
struct Author {
    /// Who made the change.
    let node: NodeID
    /// The device that brings it; nil for the portal and imports, whose changes were checked where
    /// they came from.
    let sender: Sender?
    /// Whether it was confirmed here before a restore, and a device brings its copy of it.
    let isCopy: Bool

    static func device(_ sender: Sender) -> Author {
        Author(node: sender.device.node, sender: sender, isCopy: false)
    }

    static func copy(of node: NodeID, from sender: Sender) -> Author {
        Author(node: node, sender: sender, isCopy: true)
    }

    static func office(_ node: NodeID) -> Author {
        Author(node: node, sender: nil, isCopy: false)
    }

    var isOffice: Bool { sender == nil }
}

/// Whether a mutation may be judged at all, before any of its values is compared.
///
/// A refusal is an answer for the device, never a failure of the batch: the mutation stays in its
/// outbox with the reason, and is judged afresh when it is sent again.
struct Admission {
    let session: WriteSession
    let author: Author
    let mutation: Mutation
    let existing: StoredRecord?
    let parent: StoredRecord?
    /// Whether the record was deleted so long ago that its tombstone is gone.
    let isPruned: Bool
    /// Whether a person decides, because the record left the device's scope unheard.
    let isParked: Bool

    /// Why a mutation is not taken now.
    enum Refusal: Error {
        case rejected(WireError)
        /// What it depends on is not here yet.
        case waiting
    }

    /// - Returns: the policy of each field, and the form where the record has one.
    func check() throws -> FieldPolicies {
        try checkTable()
        // Before anything is said that depends on what is there.
        try checkScope()
        let lineage = try session.connection.lineage(of: existing?.id ?? mutation.parent)
        try checkKind(lineage)
        if !isParked { try checkAbove(lineage) }
        try checkRoom()
        try checkFinding()
        var policies = try fieldPolicies()
        for column in mutation.columns {
            guard let value = mutation.changes[column]?.value else { continue }
            try check(column, value, &policies)
        }
        return policies
    }

    func rejected(
        _ code: RejectionCode, column: FieldName? = nil, _ message: String
    ) -> Refusal {
        .rejected(WireError(code: code.rawValue, column: column, message: message))
    }

    // MARK: Kind

    private func checkTable() throws {
        guard takesUnknown || session.model.knows(table: mutation.table) else {
            throw rejected(.unknownTable, "this server has no table of that name")
        }
        if !author.isOffice, Admission.officeTables.contains(mutation.table) {
            throw rejected(.notAllowed, "sites and assignments are made and changed in the office")
        }
    }

    /// Table, parent and id agree with what is known.
    private func checkKind(_ lineage: [Ancestor]) throws {
        guard let existing else { return try checkNew(lineage) }
        guard existing.table == mutation.table else { throw Refusal.rejected(.tableChanged) }
        // With it would go every inspection below it.
        if !author.isOffice, mutation.table == RecordTable.asset, mutation.deletes,
            !existing.isDeleted
        {
            throw keptByOffice
        }
    }

    /// Whether the record was deleted before a restore already, and stays so.
    private var isReturnedDeletion: Bool { author.sender.map(mutation.wasInForce) ?? false }

    private var keptByOffice: Refusal {
        rejected(.notAllowed, "equipment is removed in the office")
    }

    private static let officeTables = [RecordTable.site, RecordTable.assignment]

    /// Records above a new one: far more than any form nests, and few enough to be read for each
    /// change.
    static let mostAbove = 100

    private func checkNew(_ lineage: [Ancestor]) throws {
        if isReturnedDeletion, mutation.table == RecordTable.asset { throw keptByOffice }
        // What a change of an unknown record comes to is for the merge: it waits, or a person looks.
        guard mutation.operation == .insert, !isPruned, !isParked else { return }
        if let id = mutation.parent, parent == nil {
            if try session.connection.isPruned(id) { throw parentDeleted }
            let sender = author.sender
            guard let sender, try session.isOverdue(id, for: sender) else {
                throw Refusal.waiting
            }
            throw rejected(
                .parentDeleted,
                "the server was restored without the record that it belongs to, which nobody has"
                    + " brought back")
        }
        guard canStand(under: parent), lineage.count <= Admission.mostAbove else {
            guard session.model.knows(table: mutation.table) else {
                throw rejected(
                    .unknownTable, "this server keeps such a record only below one that it has")
            }
            throw rejected(.wrongParent, "such a record cannot stand under that parent")
        }
        // Nobody would see what is made under a tombstone.
        guard lineage.contains(where: \.isDeleted) else { return }
        guard try session.cameBeforeDeletions(above: lineage, mutation, by: author) else {
            throw parentDeleted
        }
    }

    private var parentDeleted: Refusal {
        rejected(.parentDeleted, "the record that it belongs to was deleted")
    }

    // MARK: Scope

    /// The same answer whatever is there: nobody learns what others hold.
    private var outOfScope: Refusal {
        rejected(.outOfScope, "this device's team has no such record")
    }

    private func checkScope() throws {
        guard !isParked, let sender = author.sender,
            let site = existing?.site ?? parent?.site
        else { return }
        let scope = Scope(team: sender.device.team)
        guard try scope.contains(site, in: session.connection) else { throw outOfScope }
    }

    // MARK: What stands above

    /// Below an inspection that was deleted nothing is added or changed: it would be taken and never
    /// be seen. An approved one is locked, with all that belongs to it; sending again what stands
    /// there is no change.
    private func checkAbove(_ lineage: [Ancestor]) throws {
        guard !author.isOffice else { return }
        // Nothing is left of it, or nothing is there that could be locked.
        if existing != nil, mutation.operation == .update, mutation.changes.isEmpty { return }
        if existing == nil, isReturnedDeletion { return }
        let inspection = lineage.upToInspection
        let above = inspection.dropFirst(existing == nil ? 0 : 1)
        if mutation.operation != .delete, above.contains(where: \.isDeleted),
            try !session.cameBeforeDeletions(above: above, mutation, by: author)
        {
            throw rejected(.parentDeleted, "what it belongs to was deleted")
        }
        guard inspection.contains(where: \.isApproved) else { return }
        let changes = mutation.changes.contains { name, change in
            change.value != existing?.value(name) ?? .null
        }
        guard existing == nil || changes || mutation.operation == .delete else { return }
        throw rejected(.locked, "the inspection is approved and locked")
    }

    // MARK: Fields

    private func fieldPolicies() throws -> FieldPolicies {
        let hasForm = mutation.table == RecordTable.inspection || isRow
        guard hasForm, existing != nil || mutation.operation == .insert else { return .withoutForm }
        if let before = existing?.text(BuiltInField.form), text(BuiltInField.form) != before {
            throw rejected(
                .notAllowed, column: BuiltInField.form, "an inspection and its rows keep their form"
            )
        }
        guard let id = text(BuiltInField.form), let version = text(BuiltInField.formVersion),
            let policies = try session.forms.policies(
                ofForm: id, version: version, from: session.connection)
        else {
            // Published since the backup, perhaps: the office publishes it again.
            if let sender = author.sender, try session.mayComeBack(from: sender.standpoint) {
                throw Refusal.waiting
            }
            throw rejected(
                .unknownForm, column: BuiltInField.formVersion,
                "this server has not published that version of the form")
        }
        if isRow, let form = policies.form { try checkRow(of: form) }
        return policies
    }

    /// What the record has after the mutation. A change to something else than a text leaves none at
    /// all; it must not hide behind the text that stands.
    func text(_ name: FieldName) -> String? {
        guard let change = mutation.changes[name] else { return existing?.text(name) }
        guard case .string(let text) = change.value else { return nil }
        return text
    }

    private func check(
        _ column: FieldName, _ value: FieldValue, _ policies: inout FieldPolicies
    ) throws {
        try checkText(value, column)
        if column == BuiltInField.state, mutation.table == RecordTable.inspection {
            return try checkState(value)
        }
        if column == Mutation.deletedField { return try checkDeletion(value) }
        if takesUnknown, isUnknown(column, form: policies.form) { return }
        if BuiltInField.isBuiltIn(column) { return try checkBuiltIn(column, value) }
        guard let form = policies.form else { return }
        if try passes({ try checkAnswer(column, value, in: form) }) { return }
        guard let other = try versionTaking(column, value, besides: form) else {
            return try checkAnswer(column, value, in: form)
        }
        if form.index(of: column) == nil { policies.adopt(column, from: other) }
    }

    private func checkAnswer(
        _ column: FieldName, _ value: FieldValue, in form: FormDefinition
    ) throws {
        guard let question = question(column, of: form) else {
            throw rejected(
                .unknownQuestion, column: column,
                "version \(form.version) of the form has no such question"
                    + (isRow ? " in that repeat" : ""))
        }
        // What a form reckons is of whatever kind it comes to: nobody typed it or could mend it.
        guard question.rules.calculate == nil else { return }
        if let problem = question.problem(with: value) {
            throw rejected(
                .invalidValue, column: column, problem.message(unit: question.unit))
        }
    }

    /// Another version of the form that takes an answer: it may have been given before the inspection was
    /// moved, by somebody who had not heard of that. It is kept as it was given, and whoever approves the
    /// inspection finds what is wrong with it.
    private func versionTaking(
        _ column: FieldName, _ value: FieldValue, besides form: FormDefinition
    ) throws -> FieldPolicies? {
        try session.forms.allPolicies(ofForm: form.id, from: session.connection).first { other in
            guard let other = other.form, other.version != form.version else { return false }
            return try passes { try checkAnswer(column, value, in: other) }
        }
    }

    /// Whether a check refuses nothing.
    func passes(_ check: () throws -> Void) throws -> Bool {
        do {
            try check()
            return true
        } catch is Refusal {
            return false
        }
    }

    /// Decoding refuses such texts already; a mutation that came another way must not bring them.
    private func checkText(_ value: FieldValue, _ column: FieldName) throws {
        guard case .string(let text) = value else { return }
        do throws(FieldValueError) {
            _ = try FieldValue(text: text)
        } catch {
            throw rejected(.invalidValue, column: column, error.description)
        }
    }

    /// What records have of themselves is text or nothing, but for a row's place, and a day is a day:
    /// everybody who shares the record reads it.
    private func checkBuiltIn(_ column: FieldName, _ value: FieldValue) throws {
        switch value {
        case .null: return
        case .string where column == BuiltInField.order:
            throw rejected(.invalidValue, column: column, "is no number")
        case .string(let text):
            if let words = Admission.words[column], !words.contains(text) {
                throw rejected(
                    .invalidValue, column: column,
                    "is none of " + words.joined(separator: ", "))
            }
            guard column == BuiltInField.due, CivilDate(text) == nil else { return }
            throw rejected(.invalidValue, column: column, "is no day, YYYY-MM-DD")
        case .integer, .double:
            if [BuiltInField.order, BuiltInField.repeated].contains(column) { return }
            throw rejected(.invalidValue, column: column, "is no text")
        }
    }

    /// The words that a finding is told in.
    private static let words = [
        BuiltInField.severity: Finding.Severity.allCases.map(\.rawValue),
        BuiltInField.status: Finding.Status.allCases.map(\.rawValue),
        BuiltInField.raisedBy: Finding.Raiser.allCases.map(\.rawValue),
    ]

    private func checkDeletion(_ value: FieldValue) throws {
        guard [.null, .integer(0), .integer(1)].contains(value) else {
            throw rejected(.invalidValue, column: Mutation.deletedField, "is neither 0 nor 1")
        }
    }

    /// A device moves an inspection as far as *complete*; what concurrent changes come to is for
    /// the merge.
    private func checkState(_ value: FieldValue) throws {
        guard case .string(let text) = value, let state = InspectionState(rawValue: text) else {
            throw rejected(
                .invalidValue, column: BuiltInField.state, "is no state of an inspection")
        }
        guard !author.isOffice, text != existing?.text(BuiltInField.state) else { return }
        if state == .approved || state == .returned {
            throw rejected(
                .notAllowed, column: BuiltInField.state,
                "only a supervisor approves or returns an inspection")
        }
        if state == .assigned, existing != nil {
            throw rejected(
                .notAllowed, column: BuiltInField.state, "an inspection is assigned in the office")
        }
    }
}

/// Why a mutation was rejected, for programs; with those of the merge, the wire's `error.code`.
enum RejectionCode: String {
    case unknownTable = "unknown_table"
    case unknownForm = "unknown_form"
    case unknownQuestion = "unknown_question"
    case invalidValue = "invalid_value"
    case wrongParent = "wrong_parent"
    case parentDeleted = "parent_deleted"
    case notAllowed = "not_allowed"
    case outOfScope = "out_of_scope"
    case recordFull = "record_full"
    case locked
}
