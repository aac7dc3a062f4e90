internal import Crypto
internal import Glibc

/// A sealed entry in a segment: `WDJ1`, the length of what is sealed (4 bytes), the entry's number (8
/// bytes), both with the low byte first, the nonce, and the ciphertext with its tag.
struct JournalFrame: Equatable {
    static let magic = Array("WDJ1".utf8)
    static let headByteCount = 16 + SealedBox.nonceByteCount

    let number: UInt64
    let box: SealedBox

    init(number: UInt64, box: SealedBox) {
        self.number = number
        self.box = box
    }

    /// What stands at this place of a segment; nil where it cannot be a frame.
    init?(in segment: [UInt8], at start: Int) {
        let body = start + Self.headByteCount
        guard body <= segment.count, Self.magic.elementsEqual(segment[start..<start + 4])
        else { return nil }
        let count = Int(Self.number(in: segment[start + 4..<start + 8]))
        guard count <= segment.count - body,
            let box = try? SealedBox(
                nonce: Array(segment[start + 16..<body]),
                ciphertext: Array(segment[body..<body + count]))
        else { return nil }
        number = Self.number(in: segment[start + 8..<start + 16])
        self.box = box
    }

    var bytes: [UInt8] {
        Self.magic + Self.bytes(of: UInt64(box.ciphertext.count), count: 4)
            + Self.bytes(of: number, count: 8) + box.nonce + box.ciphertext
    }

    var byteCount: Int { Self.headByteCount + box.ciphertext.count }

    static func bytes(of number: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
    }

    private static func number(in bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Where a frame that begins here says that it ends; nil where not even that can stand here.
    static func end(in segment: [UInt8], at start: Int) -> Int? {
        guard start + 8 <= segment.count else { return nil }
        return start + headByteCount + Int(number(in: segment[start + 4..<start + 8]))
    }

    /// Bytes of what a mark or a note of what was let go takes, sealed, at most; a transaction takes more.
    private static let longestMark = headByteCount + SHA256.byteCount + 12 + SealedBox.tagByteCount

    /// Whether what begins here is by its length no transaction, and ends where it says.
    static func isMark(in segment: [UInt8], at start: Int) -> Bool {
        guard let end = end(in: segment, at: start), end - start <= longestMark,
            end <= segment.count
        else { return false }
        let rest = segment[end...].prefix(magic.count)
        return rest.elementsEqual(magic.prefix(rest.count)) || rest.allSatisfy { $0 == 0 }
    }

    /// Every place that looks like the beginning of a frame.
    static func starts(in segment: [UInt8], from start: Int) -> [Int] {
        var starts: [Int] = []
        var place = nextMagic(in: segment, from: start)
        while place < segment.count {
            starts.append(place)
            place = nextMagic(in: segment, from: place + 1)
        }
        return starts
    }

    static func nextMagic(in bytes: [UInt8], from start: Int) -> Int {
        bytes.withUnsafeBytes { buffer in
            var place = start
            while place < buffer.count, let base = buffer.baseAddress {
                let rest = buffer.count - place
                guard let found = memchr(base + place, Int32(magic[0]), rest) else {
                    return buffer.count
                }
                place = base.distance(to: UnsafeRawPointer(found))
                if buffer[place...].starts(with: magic) { return place }
                place += 1
            }
            return buffer.count
        }
    }
}

/// Where the chain of entries stands: each holds the hash of the frame before it, so that one that was
/// exchanged for an older one of its own is noticed.
struct JournalChain: Equatable, Sendable {
    /// Of the last entry; the first one has 1.
    var number: UInt64 = 0
    var hash = [UInt8](repeating: 0, count: SHA256.byteCount)

    /// The next entry as it goes to the disk; the chain stands behind it then.
    mutating func frame(_ entry: JournalEntry, by cipher: JournalCipher) throws -> [UInt8] {
        var plaintext = hash + entry.encoded()
        defer { Crypto.wipe(&plaintext) }
        let frame = JournalFrame(
            number: number + 1, box: try cipher.seal(plaintext, number + 1)
        ).bytes
        self = JournalChain(number: number + 1, hash: SHA256.hash(frame))
        return frame
    }
}

/// What one segment holds.
struct JournalSegmentReading {
    struct Entry {
        var number: UInt64
        /// Of the frame, and of the one that was before it when it was written.
        var hash: [UInt8]
        var previous: [UInt8]
        /// nil where it is authentic and this program cannot read it.
        var entry: JournalEntry?
    }

    private(set) var entries: [Entry] = []
    /// Behind the last entry.
    private(set) var end = 0
    /// Places before an entry that hold something else.
    private(set) var damagedPlaces = 0
    private(set) var tail = JournalTail.free
    /// Where that is damaged: transactions in it, as far as can be told, and at least one where nothing
    /// can be.
    private(set) var changesInTail = 0

    init(_ segment: [UInt8], by cipher: JournalCipher) {
        var place = 0
        var isPassingOver = false
        while place < segment.count {
            if let frame = JournalFrame(in: segment, at: place), take(frame, by: cipher) {
                if isPassingOver { damagedPlaces += 1 }
                isPassingOver = false
                place += frame.byteCount
                end = place
            } else {
                guard isPassingOver || !Self.isZero(segment, from: place) else { return }
                isPassingOver = true
                place = JournalFrame.nextMagic(in: segment, from: place + 1)
            }
        }
        guard isPassingOver else { return }
        tail = JournalTail(
            of: segment, behind: end, longestWrite: entries.isEmpty ? 2 : 1)
        guard case .damaged = tail else { return }
        let starts = JournalFrame.starts(in: segment, from: end)
        changesInTail =
            starts.isEmpty ? 1 : starts.count { !JournalFrame.isMark(in: segment, at: $0) }
    }

    private mutating func take(_ frame: JournalFrame, by cipher: JournalCipher) -> Bool {
        // A tag that does not fit is what tells damage; the caller counts it.
        guard let plaintext = try? cipher.unseal(frame.box, frame.number),
            plaintext.count > SHA256.byteCount
        else { return false }
        entries.append(
            Entry(
                number: frame.number, hash: SHA256.hash(frame.bytes),
                previous: Array(plaintext.prefix(SHA256.byteCount)),
                entry: try? JournalEntry(decoding: Array(plaintext.dropFirst(SHA256.byteCount)))))
        return true
    }

    /// Compares the bytes with themselves one place on: equal to the first, they are all alike.
    private static func isZero(_ bytes: [UInt8], from start: Int) -> Bool {
        bytes.withUnsafeBytes { buffer in
            let rest = UnsafeRawBufferPointer(rebasing: buffer[start...])
            guard let first = rest.baseAddress, rest[0] == 0 else { return rest.isEmpty }
            return memcmp(first, first + 1, rest.count - 1) == 0
        }
    }
}
