/// Broken variants of what the simulation is to guard. Each has to be caught: a check that no
/// mutant trips proves nothing.
enum Mutant: String, CaseIterable {
    /// A worker that takes an acknowledgement for the record and not for the mutation.
    case acknowledgeByRow = "ack-by-row"
    /// A feed whose positions come from a plain sequence: they are given before the commit, and a
    /// poller steps over one that is committed later.
    case plainSequence = "plain-sequence"
    /// Capture triggers that compare with `<>`, for which NULL is never another value.
    case unequalTrigger = "unequal-trigger"
    /// A merge in which the change that comes later wins where two are equally old.
    case arrivalOrder = "arrival-order"
    /// `synchronous = NORMAL` for edits: the log is not on the disk when an edit returns.
    case normalSynchronous = "synchronous-normal"
    /// A restored server that takes versions of the epoch before for its own.
    case basesBelieved = "bases-believed"
    /// A device that keeps nothing of what was acknowledged, so that it has nothing to offer again.
    case acknowledgedForgotten = "acknowledged-forgotten"
    /// A device that keeps nothing of the deletions that were acknowledged.
    case deletionsForgotten = "deletions-forgotten"
    /// A server that does not notice that two devices have one past.
    case forkUnnoticed = "fork-unnoticed"
    /// A journal that is not written with each edit.
    case staleJournal = "stale-journal"
    /// A decision that is sent without the version that was shown, as if nobody had looked.
    case baseOfDecisionForgotten = "base-of-decision-forgotten"
    /// An upgrade that does away with what waits.
    case carelessMigration = "careless-migration"

    var meaning: String {
        switch self {
        case .acknowledgeByRow: "the worker acknowledges by record"
        case .plainSequence: "the feed's positions are a plain sequence"
        case .unequalTrigger: "the capture triggers compare with <>"
        case .arrivalOrder: "the merge breaks ties by arrival"
        case .normalSynchronous: "edits commit with synchronous = NORMAL"
        case .basesBelieved: "a restored server believes versions of the epoch before"
        case .acknowledgedForgotten: "devices keep nothing of what was acknowledged"
        case .deletionsForgotten: "devices forget deletions that were acknowledged"
        case .forkUnnoticed: "the server does not notice a copied home"
        case .staleJournal: "the journal is older than the queue"
        case .baseOfDecisionForgotten: "a decision is not based on what was shown"
        case .carelessMigration: "an upgrade removes what waits"
        }
    }
}
