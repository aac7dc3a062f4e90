internal import Replication

/// How large the next batch is, and which mutations have had their turn in this cycle.
///
/// When a batch is refused as a whole, one mutation in it is to blame, and the batch is halved until
/// it stands alone; the others go on. The first `suspects` mutations of the queue are the part that
/// is known to hold the culprit.
struct BatchPlan: Equatable, Sendable {
    /// Of a batch where nothing is looked for.
    let most: Int
    private(set) var limit: Int
    private(set) var suspects = 0
    /// Offered and answered, or set aside: not to be offered again in this cycle.
    private(set) var offered: Set<MutationID> = []
    /// Of these those that wait on the server for something that it does not have yet.
    private var held: Set<MutationID> = []
    private var mayPass = false
    private var timesHeldAgain = 0
    /// Alone when the server broke over them. Whether they are to blame shows when others pass.
    private(set) var lonely: [MutationID] = []
    private(set) var hasSetAside = false
    /// Set aside since the last answer: the server may have taken them, and what goes next has to say so.
    private(set) var unheard: [MutationID] = []
    /// A push got through in this cycle.
    private(set) var havePassed = false
    /// A pull got through after the server broke over a push: the server as such is well.
    var isProbed = false
    /// Mutations blamed one after another without one that passed between them.
    private(set) var blamedInARow = 0

    /// So many refused in a row mean that the server refuses everything, not that each is bad.
    static let mostBlamedInARow = 3
    static let mostTimesHeldAgain = 3

    init(most: Int = PushRequest.mostMutations) {
        precondition(most > 0 && most <= PushRequest.mostMutations, "no size of a batch: \(most)")
        self.most = most
        limit = most
    }

    mutating func passed(_ answered: Set<MutationID>) {
        havePassed = true
        unheard = []
        blamedInARow = 0
        offered.formUnion(answered)
        suspects = max(0, suspects - answered.count)
        limit = suspects > 0 ? max(1, suspects / 2) : most
    }

    mutating func noteHeld(_ ids: some Sequence<MutationID>) { held.formUnion(ids) }

    /// The server has something that it had not when it held back what it did.
    mutating func noteNews() { mayPass = !held.isEmpty }

    /// What waits on the server is to be offered again, for what it waits for may have come. A few times
    /// in a cycle: where much waits for something that does not come, each time is in vain.
    mutating func takeHeld() -> Bool {
        guard mayPass, timesHeldAgain < Self.mostTimesHeldAgain else { return false }
        timesHeldAgain += 1
        offered.subtract(held)
        (held, mayPass) = ([], false)
        return true
    }

    /// - Precondition: more than one mutation.
    mutating func halve(_ count: Int) {
        suspects = count
        limit = max(1, count / 2)
    }

    /// The culprit is known; the others go in full batches again.
    mutating func blamed(_ id: MutationID) {
        offered.insert(id)
        blamedInARow += 1
        suspects = 0
        limit = most
    }

    /// The next goes alone too: it shows soonest whether the server breaks over anything.
    mutating func setAside(_ id: MutationID) {
        blamed(id)
        limit = 1
        lonely.append(id)
        unheard = Array((unheard + [id]).suffix(PushRequest.mostMutations))
        hasSetAside = true
    }

    /// It waits for a later cycle and is not to blame.
    mutating func passOver(_ id: MutationID) {
        offered.insert(id)
        suspects = 0
        limit = most
        hasSetAside = true
    }

    /// A mutation was divided: its parts are new and have not been offered.
    mutating func divided() {
        suspects = 0
        limit = 1
    }

    mutating func takeLonely() -> [MutationID] {
        defer { lonely = [] }
        return lonely
    }

    /// Nothing was refused as a whole in this cycle, or all that came of it is done.
    var isUnclouded: Bool {
        limit == most && suspects == 0 && lonely.isEmpty && !hasSetAside
    }

    var refusesEverything: Bool { blamedInARow >= Self.mostBlamedInARow }
}
