/// What happens next, in virtual time: milliseconds since the run began. Two things at the same
/// instant happen in the order in which they were set.
final class Timeline {
    private struct Entry {
        var at: Int64
        var order: Int
        var work: () throws -> Void

        func isBefore(_ other: Entry) -> Bool {
            at != other.at ? at < other.at : order < other.order
        }
    }

    private(set) var now: Int64 = 0
    private var heap: [Entry] = []
    private var count = 0

    func after(_ pause: Int64, _ work: @escaping () throws -> Void) {
        count += 1
        heap.append(Entry(at: now + max(0, pause), order: count, work: work))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Does the next thing that is due by then; false where there is none, and then it is `end`.
    func step(until end: Int64) throws -> Bool {
        guard let first = heap.first, first.at <= end else {
            now = max(now, end)
            return false
        }
        removeFirst()
        now = max(now, first.at)
        try first.work()
        return true
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].isBefore(heap[$1]) }),
                heap[least].isBefore(heap[parent])
            else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
