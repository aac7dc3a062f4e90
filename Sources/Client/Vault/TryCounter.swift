internal import Crypto
internal import Glibc

/// How often in a row a wrong PIN was given, and how long the next try has to wait. Stands in its
/// own small file, overwritten in place, so that it can be written on a full disk too; in two
/// halves written in turn, so that one of them is whole after any crash.
///
/// The file's lock is held from reading to the answer: two processes cannot guess side by side.
struct TryCounter: ~Copyable {
    struct Record: Equatable {
        /// Rises by one with each write; the half with the higher one counts.
        var sequence: UInt64 = 0
        var tries: UInt32 = 0
        var last: BootInstant
    }

    /// What is assumed when the file is missing or damaged beside a vault: only tampering does that.
    static let triesWhenUnknown: UInt32 = 9
    private static let halfByteCount = 128

    private let file: Descriptor
    private var record: Record
    private let now: @Sendable () throws(VaultError) -> BootInstant

    /// Makes the file, with no tries on it, before the vault that it guards.
    static func create(in home: Home) throws(VaultError) {
        let file = try Descriptor(home.tries, O_RDWR | O_CREAT | O_TRUNC)
        let half = encode(Record(last: BootInstant(boot: [], milliseconds: 0)))
        try file.write(half + half)
        try file.synchronize()
        try DurableFile.synchronizeFolder(of: home.tries)
    }

    /// Opens the file and waits until nobody else is guessing.
    static func open(
        in home: Home, now: @escaping @Sendable () throws(VaultError) -> BootInstant
    ) throws(VaultError) -> TryCounter {
        let file = try Descriptor(home.tries, O_RDWR | O_CREAT)
        _ = try file.lock(LOCK_EX)
        let bytes = try file.readAll(limit: 2 * halfByteCount)
        let halves = [bytes.prefix(halfByteCount), bytes.dropFirst(halfByteCount)]
        let newest = halves.compactMap { decode(Array($0)) }
            .max { $0.sequence < $1.sequence }
        if let newest { return TryCounter(file: file, record: newest, now: now) }
        let unknown = Record(tries: triesWhenUnknown, last: try now())
        var counter = TryCounter(file: file, record: unknown, now: now)
        try counter.store()
        return counter
    }

    private init(
        file: consuming Descriptor, record: Record,
        now: @escaping @Sendable () throws(VaultError) -> BootInstant
    ) {
        self.file = file
        self.record = record
        self.now = now
    }

    var tries: Int { Int(record.tries) }

    /// Seconds, rounded up; 0 when the next try may be made.
    func secondsToWait() throws(VaultError) -> Int {
        let elapsed = try now().elapsed(since: record.last)
        let left = Int64(Self.delay(after: tries)) * 1000 - elapsed
        return left > 0 ? Int((left + 999) / 1000) : 0
    }

    /// 1, 2, 4 … seconds, 300 at most.
    static func delay(after tries: Int) -> Int {
        tries <= 0 ? 0 : min(300, 1 << min(tries - 1, 9))
    }

    /// Returns when the try is on the disk: only then may the PIN be checked.
    mutating func countTry() throws(VaultError) {
        record.tries = record.tries == .max ? .max : record.tries + 1
        record.last = try now()
        try store()
    }

    /// The PIN was right for a file that has no business here: that is no wrong PIN, and clears none.
    mutating func takeBack() throws(VaultError) {
        record.tries = record.tries == 0 ? 0 : record.tries - 1
        try store()
    }

    mutating func reset() throws(VaultError) {
        record.tries = 0
        try store()
    }

    private mutating func store() throws(VaultError) {
        record.sequence += 1
        let half = Int(record.sequence % 2)
        try file.write(Self.encode(record), at: half * Self.halfByteCount)
        try file.synchronize()
    }
}

extension TryCounter {
    private static let bootByteCount = 40
    private static let checksumByteCount = 32

    private static func encode(_ record: Record) -> [UInt8] {
        var bytes: [UInt8] = []
        append(record.sequence, to: &bytes)
        append(UInt64(record.tries), to: &bytes)
        append(UInt64(bitPattern: record.last.milliseconds), to: &bytes)
        append(UInt64(record.last.boot.count), to: &bytes)
        bytes += record.last.boot
        bytes += [UInt8](repeating: 0, count: halfByteCount - checksumByteCount - bytes.count)
        return bytes + SHA256.hash(bytes)
    }

    private static func decode(_ bytes: [UInt8]) -> Record? {
        guard bytes.count == halfByteCount else { return nil }
        let content = Array(bytes.dropLast(checksumByteCount))
        guard SHA256.hash(content) == Array(bytes.suffix(checksumByteCount)) else { return nil }
        let bootCount = Int(clamping: number(at: 24, in: content))
        guard let tries = UInt32(exactly: number(at: 8, in: content)), bootCount <= bootByteCount
        else { return nil }
        let instant = BootInstant(
            boot: Array(content[32..<32 + bootCount]),
            milliseconds: Int64(bitPattern: number(at: 16, in: content)))
        return Record(sequence: number(at: 0, in: content), tries: tries, last: instant)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        bytes += stride(from: 0, to: 64, by: 8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func number(at start: Int, in bytes: [UInt8]) -> UInt64 {
        (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * $1) }
    }
}
