internal import Replication

/// One step of applying what the server said, small enough to be part of a slice.
enum ApplyStep {
    /// Some fields of a record. Its version and digest change with the last of them.
    case fields(WireRecord, names: ArraySlice<FieldName>, isLast: Bool)
    /// A verdict on a mutation of the push that this answers, or one that comes with a page.
    case verdict(Verdict, isAnswer: Bool)
    case removal(RecordID)

    /// Fields that the step writes, at least one.
    var weight: Int {
        switch self {
        case .fields(_, let names, _): max(1, names.count)
        // Its record stands before it and has its own weight; what is settled is in the same pages.
        case .verdict: 1
        case .removal: 1
        }
    }
}

/// A page or an answer, cut into slices. Each slice is a transaction of its own and can be repeated;
/// between two of them an edit of the inspector gets its turn.
struct ApplyPlan {
    /// Fields of one slice, about.
    static let sliceWeight = 60
    /// The same of an answer to a push, of which there are at most 50 records: most of what a slice
    /// takes it takes once, however little is in it, and the queue that goes out waits for that.
    static let answerWeight = 120

    private(set) var slices: [[ApplyStep]] = []
    private var weight = 0
    private var most = Self.sliceWeight

    /// Records first: a verdict shows what the record is now, and a removal is the last word.
    ///
    /// In the order of their ids, because neighbours share pages of the tables: encrypting pages is
    /// what applying costs most, and in the order of the feed a slice touches twice as many.
    init(page: PullResponse) {
        for record in Self.sorted(page.deltaRecords) { add(record) }
        for verdict in page.results {
            if let record = verdict.record { add(record) }
            add(.verdict(verdict, isAnswer: false))
        }
        for id in page.removed { add(.removal(id)) }
        finish()
    }

    /// Some verdicts at a time, in their order, each time behind their records: so the records of a
    /// slice are written together.
    init(answer verdicts: [Verdict]) {
        most = Self.answerWeight
        var rest = verdicts[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.count(of: rest))
            rest = rest.dropFirst(some.count)
            // They are a slice of their own, so that no verdict gets apart from its record.
            if !slices.isEmpty { weight = most }
            for record in Self.sorted(some.compactMap(\.record)) { add(record) }
            for verdict in some { add(.verdict(verdict, isAnswer: true)) }
        }
        finish()
    }

    /// How many verdicts make a slice with their records; at least one.
    private static func count(of verdicts: ArraySlice<Verdict>) -> Int {
        var weight = 0
        let fitting = verdicts.prefix { verdict in
            weight += 1 + max(1, verdict.record?.fields.count ?? 1)
            return weight <= answerWeight
        }
        return max(1, fitting.count)
    }

    private static func sorted(_ records: [WireRecord]) -> [WireRecord] {
        records.sorted { left, right in
            left.id != right.id ? left.id < right.id : left.version < right.version
        }
    }

    private mutating func finish() {
        // An empty page still moves the cursor.
        if slices.isEmpty { slices = [[]] }
    }

    private mutating func add(_ record: WireRecord) {
        let names = record.fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var start = 0
        repeat {
            let end = min(start + Self.sliceWeight, names.count)
            add(.fields(record, names: names[start..<end], isLast: end == names.count))
            start = end
        } while start < names.count
    }

    private mutating func add(_ step: ApplyStep) {
        if slices.isEmpty || weight + step.weight > most {
            slices.append([])
            weight = 0
        }
        slices[slices.count - 1].append(step)
        weight += step.weight
    }
}
