/// The journal's files while they are written: where the next entry goes, and which segments there are.
/// Knows nothing of what the entries say.
final class JournalSegments {
    /// Bytes of a segment; one for a larger entry has what that takes.
    static let byteCount = 1 << 20

    private let folder: any JournalFolder
    private let cipher: JournalCipher
    /// The oldest first; the last one is written.
    private(set) var segments: [JournalSegment]
    private var file: (any JournalFile)?
    private var end: Int
    private var chain: JournalChain
    private var isSynchronized: Bool
    /// Bytes of the last snapshot that was written here; 0 before the first.
    private(set) var snapshotByteCount = 0
    /// Nobody knows what a file holds after a write or an fdatasync that failed: what follows must
    /// stand in another one.
    private(set) var isBroken = false

    init(_ folder: any JournalFolder, _ cipher: JournalCipher, after reading: JournalReading?) {
        self.folder = folder
        self.cipher = cipher
        segments = reading?.segments ?? []
        end = reading?.end ?? 0
        chain = reading?.chain ?? JournalChain()
        // What a process before this one wrote last may not be on the disk yet.
        isSynchronized = segments.isEmpty
    }

    var current: Int { segments.last?.number ?? 0 }

    /// The number of the first entry that is here; 0 where that is not known.
    var firstEntry: UInt64 { segments.first?.firstEntry ?? 0 }

    var byteCount: Int { segments.reduce(0) { $0 + $1.byteCount } }

    /// Writes an entry behind the last one.
    ///
    /// - Parameters:
    ///   - isDurable: whether it is on the disk when this returns; else with the next one that is.
    ///   - beginning: what a new segment begins with.
    func append(
        _ entry: JournalEntry, isDurable: Bool, beginning: () throws -> JournalEntry
    ) throws {
        var next = chain
        var bytes = try next.frame(entry, by: cipher)
        if try !hasRoom(for: bytes.count) {
            next = chain
            bytes = try next.frame(beginning(), by: cipher) + next.frame(entry, by: cipher)
            // The order of the disk is the order of the entries.
            try synchronize()
            try begin(segmentOf: bytes.count)
        }
        try write(bytes, chain: next, isDurable: isDurable)
    }

    /// Writes a snapshot into a segment of its own, on the disk when this returns: nothing before it
    /// counts any more.
    func begin(from snapshot: JournalEntry) throws {
        var next = chain
        let bytes = try next.frame(snapshot, by: cipher)
        try begin(segmentOf: bytes.count + Self.byteCount / 4)
        try write(bytes, chain: next, isDurable: true)
        snapshotByteCount = bytes.count
    }

    /// What was written without waiting for the disk.
    private func synchronize() throws {
        guard !isSynchronized, !isBroken, let last = segments.last else { return }
        try guarded {
            let file = try file ?? folder.reopen(last.name)
            try file.synchronize()
        }
        isSynchronized = true
    }

    /// Nothing can be written any more.
    func close() {
        file = nil
        cipher.erase()
    }

    /// The first entry of the segments that stay when the older ones go; nil where none would go, or
    /// nobody knows it.
    func firstEntry(leftBy number: Int) -> UInt64? {
        let oldest = min(number, current)
        guard let first = segments.first, first.number < oldest else { return nil }
        let left = segments.first { $0.number >= oldest }?.firstEntry ?? 0
        return left > 0 ? left : nil
    }

    /// Lets segments go in which nothing counts any more.
    ///
    /// - Returns: why one of them did not; the others did.
    func drop(olderThan number: Int) -> (any Error)? {
        var trouble: (any Error)?
        for segment in segments where segment.number < min(number, current) {
            do {
                try drop(segment)
                segments.removeAll { $0.number == segment.number }
            } catch {
                trouble = trouble ?? error
            }
        }
        return trouble
    }

    private func drop(_ segment: JournalSegment) throws {
        guard segment.isDamaged else { return try folder.remove(segment.name) }
        do {
            // Its readable part stands elsewhere now; the rest is for whoever looks into it.
            try folder.rename(segment.name, to: segment.name + JournalSegment.damagedSuffix)
        } catch let fault as JournalFault where fault.isMissingFile {
            // It has its new name since an earlier try, which told of an error all the same.
        }
    }

    private func hasRoom(for count: Int) throws -> Bool {
        guard !isBroken, let last = segments.last, end + count <= last.byteCount else {
            return false
        }
        if file == nil { file = try folder.reopen(last.name) }
        return true
    }

    private func begin(segmentOf count: Int) throws {
        let number = current + 1
        let size = max(Self.byteCount, count)
        file = try folder.make(JournalSegment.name(number), byteCount: size)
        segments.append(
            JournalSegment(number: number, byteCount: size, firstEntry: chain.number + 1))
        end = 0
        isSynchronized = true
        isBroken = false
    }

    private func write(_ bytes: [UInt8], chain next: JournalChain, isDurable: Bool) throws {
        // Whatever becomes of the write: no two entries have one number.
        chain = next
        isSynchronized = false
        try guarded {
            try file?.write(bytes, at: end)
            if isDurable { try file?.synchronize() }
        }
        isSynchronized = isDurable
        end += bytes.count
    }

    private func guarded(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            isBroken = true
            file = nil
            throw error
        }
    }
}
