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
        case .verdict(let verdict, _): max(1, verdict.record?.fields.count ?? 1)
        case .removal: 1
        }
    }
}

/// A page or an answer, cut into slices. Each slice is a transaction of its own and can be repeated;
/// between two of them an edit of the inspector gets its turn.
struct ApplyPlan {
    /// Fields of one slice, about.
    static let sliceWeight = 60

    private(set) var slices: [[ApplyStep]] = []
    private var weight = 0

    /// Records first: a verdict shows what the record is now, and a removal is the last word.
    ///
    /// In the order of their ids, because neighbours share pages of the tables: encrypting pages is
    /// what applying costs most, and in the order of the feed a slice touches twice as many.
    init(page: PullResponse) {
        let sorted = page.deltaRecords.sorted { left, right in
            left.id != right.id ? left.id < right.id : left.version < right.version
        }
        for record in sorted { add(record) }
        for verdict in page.results { add(verdict, isAnswer: false) }
        for id in page.removed { add(.removal(id)) }
        finish()
    }

    init(answer verdicts: [Verdict]) {
        for verdict in verdicts { add(verdict, isAnswer: true) }
        finish()
    }

    private mutating func add(_ verdict: Verdict, isAnswer: Bool) {
        if let record = verdict.record { add(record) }
        add(.verdict(verdict, isAnswer: isAnswer))
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
        if slices.isEmpty || weight + step.weight > Self.sliceWeight {
            slices.append([])
            weight = 0
        }
        slices[slices.count - 1].append(step)
        weight += step.weight
    }
}
