/// What stands behind the last readable entry of a segment. Pure.
enum JournalTail: Equatable, Sendable {
    /// Room for the next entry.
    case free
    /// What a power cut in the middle of one write leaves.
    case cut
    /// Something else: at least so many entries stood there and cannot be read.
    case damaged(entries: Int)

    /// Bytes that a disk writes whole or not at all.
    private static let sector = 512
    /// Zeros in a row that no sealed entry has.
    private static let gap = 32

    /// - Parameters:
    ///   - end: behind the last readable entry.
    ///   - longestWrite: entries in one write: two where a segment begins, else one.
    init(of segment: [UInt8], behind end: Int, longestWrite: Int) {
        guard let last = segment[end...].lastIndex(where: { $0 != 0 }) else {
            self = .free
            return
        }
        let starts = JournalFrame.starts(in: segment, from: end)
        let isCut =
            starts.count <= longestWrite && Self.isBeginning(segment[end...last])
            && starts.last.map { Self.isPart(of: segment, from: $0, upTo: last) } ?? true
        self = isCut ? .cut : .damaged(entries: max(1, starts.count))
    }

    /// A write begins as every entry does, or its first sector did not reach the disk.
    private static func isBeginning(_ rest: ArraySlice<UInt8>) -> Bool {
        let magic = JournalFrame.magic
        if rest.prefix(magic.count).elementsEqual(magic.prefix(rest.count)) { return true }
        let next = (rest.startIndex / sector + 1) * sector
        return rest.prefix { $0 == 0 }.endIndex >= next
    }

    /// Nothing stands behind the entry that begins here, and something of it is missing. One that is
    /// there to its last byte and does not open was written whole, and is damaged.
    private static func isPart(of segment: [UInt8], from start: Int, upTo last: Int) -> Bool {
        guard let end = JournalFrame.end(in: segment, at: start), start + 8 <= last else {
            return true
        }
        guard last < end, end <= segment.count else { return false }
        return segment[end - 1] == 0 || hasGap(segment[start..<end])
    }

    private static func hasGap(_ bytes: ArraySlice<UInt8>) -> Bool {
        var zeros = 0
        for byte in bytes {
            zeros = byte == 0 ? zeros + 1 : 0
            if zeros == gap { return true }
        }
        return false
    }
}
