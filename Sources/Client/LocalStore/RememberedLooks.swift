internal import Forms
internal import Inspections
internal import Replication
internal import Synchronization

/// What forms came to with the answers of each inspection, when the list was read last: the list is read
/// after each answer, and with a thousand inspections all but one are as they were.
///
/// Nothing is remembered but by all that it rests on, and it goes with the store.
final class RememberedLooks: Sendable {
    /// All that a look rests on.
    struct Basis: Equatable, Sendable {
        var form: String
        var version: String
        var state: InspectionState?
        var answers: FormAnswers
        /// Days since 1970 where the device is.
        var day: Int64
    }

    struct Look: Sendable {
        /// With what the form works out.
        var answers: FormAnswers
        var answered: Int
        var total: Int
        var instanceName: String?
    }

    private struct Contents: Sendable {
        var looks: [RecordID: (basis: Basis, look: Look)] = [:]
        var hits = 0
    }

    private let contents = Mutex(Contents())

    /// How often nothing had to be worked out.
    var hits: Int { contents.withLock { $0.hits } }

    func look(at id: RecordID, on basis: Basis) -> Look? {
        contents.withLock { contents in
            guard let known = contents.looks[id], known.basis == basis else { return nil }
            contents.hits += 1
            return known.look
        }
    }

    func remember(_ look: Look, of id: RecordID, on basis: Basis) {
        contents.withLock { $0.looks[id] = (basis, look) }
    }

    /// What is in the list no more.
    func forget(allBut ids: some Collection<RecordID>) {
        contents.withLock { contents in
            guard contents.looks.count > ids.count else { return }
            let kept = Set(ids)
            contents.looks = contents.looks.filter { kept.contains($0.key) }
        }
    }

    /// A form changed on the disk.
    func clear() { contents.withLock { $0.looks = [:] } }
}

extension RememberedLooks.Look {
    init(_ filling: FormFilling) {
        let state = filling.state
        self.init(
            answers: filling.answers, answered: state.answered, total: state.total,
            instanceName: filling.instanceName)
    }
}
