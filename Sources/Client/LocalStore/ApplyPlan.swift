internal import Replication

/// One step of applying what the server said, small enough to be part of a slice.
enum ApplyStep {
    /// Some fields of a record. Its version and digest change with the last of them.
    case fields(WireRecord, names: ArraySlice<FieldName>, isFirst: Bool, isLast: Bool)
    case verdict(Verdict)
    case removal(RecordID)

    /// Fields that the step writes, at least one.
    var weight: Int {
        switch self {
        case .fields(_, let names, _, _): max(1, names.count)
        case .verdict(let verdict): max(1, verdict.record?.fields.count ?? 1)
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
    init(records: [WireRecord], verdicts: [Verdict], removed: [RecordID]) {
        for record in records { add(record) }
        for verdict in verdicts {
            if let record = verdict.record { add(record) }
            add(.verdict(verdict))
        }
        for id in removed { add(.removal(id)) }
        // An empty page still moves the cursor.
        if slices.isEmpty { slices = [[]] }
    }

    private mutating func add(_ record: WireRecord) {
        let names = record.fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var start = 0
        repeat {
            let end = min(start + Self.sliceWeight, names.count)
            add(
                .fields(
                    record, names: names[start..<end], isFirst: start == 0,
                    isLast: end == names.count))
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
