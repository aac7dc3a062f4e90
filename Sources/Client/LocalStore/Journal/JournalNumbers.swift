/// The numbers of the transactions that a journal's entries speak of. They rise by one, so that those
/// in between tell which ones nobody can read any more. Pure.
struct JournalNumbers: Equatable {
    /// The highest that was read, also of one that may not count.
    private(set) var last: Int64 = 0
    /// That of the first entry, where no snapshot stands for all before it.
    private var first: Int64?
    private var missing: [ClosedRange<Int64>] = []

    mutating func take(_ entry: JournalEntry) {
        switch entry {
        case .snapshot(let snapshot):
            self = JournalNumbers()
            last = snapshot.number
        case .transaction(let transaction):
            note(through: transaction.number - 1)
            if last == 0 { first = transaction.number }
            last = max(last, transaction.number)
        // Says of its number that the database had it.
        case .confirmed(let number): note(through: number)
        case .beginning, .letGo: break
        }
    }

    /// All up to this one were there.
    private mutating func note(through number: Int64) {
        guard last > 0, number > last else { return }
        missing.append(last + 1...number)
        last = number
    }

    /// How many transactions after this one are missing between those that were read.
    func missing(after number: Int64) -> Int {
        missing.reduce(0) { sum, range in
            sum + Int(clamping: max(0, range.upperBound - max(range.lowerBound - 1, number)))
        }
    }

    /// How many transactions after this one there were before the first that was read, at most; nil
    /// where a snapshot stands for them.
    func before(after number: Int64) -> Int? {
        first.map { Int(clamping: max(0, $0 - 1 - number)) }
    }
}
