internal import Crypto

/// A segment's file: `00000001.journal` and so on.
struct JournalSegment: Equatable, Sendable {
    static let suffix = ".journal"
    /// What a file is called in which something was damaged, when everything else of it stands in a
    /// newer segment.
    static let damagedSuffix = ".damaged"

    var number: Int
    var byteCount: Int
    /// The number of its first entry; 0 where that is not known.
    var firstEntry: UInt64 = 0
    var isDamaged = false

    var name: String { Self.name(number) }

    static func name(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + suffix
    }

    /// nil for a file that is no segment.
    static func number(ofName name: String) -> Int? {
        guard name.hasSuffix(suffix), let number = Int(name.dropLast(suffix.count)), number > 0
        else { return nil }
        return self.name(number) == name ? number : nil
    }
}

/// Everything that stands in the journal's folder.
struct JournalReading {
    private(set) var replay = JournalReplay()
    private(set) var segments: [JournalSegment] = []
    /// Where the next entry comes: behind this one, in the last segment.
    private(set) var chain = JournalChain()
    private(set) var end = 0
    /// Entries that are known to be gone or unreadable, each time with the number of one behind them.
    private var gaps: [(count: Int, before: UInt64)] = []
    /// Unreadable ones behind the last that was read, as long as no later number tells how many.
    private var missingAtEnd = 0
    /// The first entry that was read, and the one from which on all count, where an entry says so.
    private var first: UInt64 = 0
    private var since: UInt64 = 0
    /// Files at the beginning that are gone or empty leave no other trace than these numbers.
    private var missingAtBeginning: Int {
        since > 0 && first > since ? Int(clamping: first - since) : 0
    }
    /// Entries that count and are gone or unreadable.
    var lost: Int {
        let behind = counting.reduce(0) { $0 + ($1.before == first ? 0 : $1.count) }
        return lostAtBeginning + behind + missingAtEnd
    }
    private var counting: [(count: Int, before: UInt64)] { gaps.filter { $0.before > since } }
    private var lostAtBeginning: Int {
        let before = counting.reduce(0) { $0 + ($1.before == first ? $1.count : 0) }
        return max(before, missingAtBeginning)
    }
    /// Those of the missing ones at the end that are changes, and whether there may be others in a whole
    /// file or entry that cannot be read.
    private var changesAtEnd = 0
    private var isEndUnread = false
    /// The last write was cut, as a power cut does it. Where the disk kept its word, what it was to say
    /// was never called saved.
    private(set) var isTorn = false
    /// The last segment has no entry, so none that says who this device is.
    private(set) var lacksBeginning = false
    /// Damaged files that were set aside before.
    private(set) var setAside: [String] = []
    /// Why a file could not be read.
    private(set) var faults: [JournalFault] = []

    var isSound: Bool { lost == 0 && !isTorn && faults.isEmpty && replay.incomplete.isEmpty }

    /// - Throws: `JournalFault` where the folder itself cannot be read.
    init(_ folder: any JournalFolder, by cipher: JournalCipher) throws {
        for name in try folder.names() {
            if name.hasSuffix(JournalSegment.damagedSuffix) { setAside.append(name) }
            guard let number = JournalSegment.number(ofName: name) else { continue }
            segments.append(JournalSegment(number: number, byteCount: 0))
        }
        segments.sort { $0.number < $1.number }
        for index in segments.indices { read(index, in: folder, by: cipher) }
    }

    private mutating func read(
        _ index: Int, in folder: any JournalFolder, by cipher: JournalCipher
    ) {
        end = 0
        lacksBeginning = true
        let bytes: [UInt8]
        do {
            bytes = try folder.contents(of: segments[index].name)
        } catch {
            let fault = error as? JournalFault ?? .malformed
            // The process that writes the home has let it go meanwhile.
            if fault.isMissingFile { return }
            faults.append(fault)
            segments[index].isDamaged = true
            isEndUnread = true
            return
        }
        segments[index].byteCount = bytes.count
        let reading = JournalSegmentReading(bytes, by: cipher)
        segments[index].firstEntry = reading.entries.first?.number ?? 0
        let gapsBefore = gaps.count
        for entry in reading.entries { take(entry, in: index) }
        if reading.damagedPlaces > 0 {
            segments[index].isDamaged = true
            // Before the first entry of all there is no number that would tell how many.
            if gaps.count == gapsBefore {
                noteMissing(reading.damagedPlaces, before: chain.number + 1)
            }
        }
        if case .damaged(let entries) = reading.tail {
            segments[index].isDamaged = true
            missingAtEnd += entries
            changesAtEnd += reading.changesInTail
        }
        // Within the journal the next segment's first number tells what is missing.
        isTorn = reading.tail == .cut
        lacksBeginning = reading.entries.isEmpty
        end = reading.end
    }

    private mutating func noteMissing(_ count: Int, before number: UInt64) {
        gaps.append((count, number))
        replay.noteLoss()
    }

    private mutating func take(_ entry: JournalSegmentReading.Entry, in index: Int) {
        // A copy of what was read already, put back by somebody.
        guard entry.number > chain.number else {
            segments[index].isDamaged = true
            return noteMissing(1, before: chain.number)
        }
        if first == 0 { first = entry.number }
        let isNext = entry.number == chain.number + 1
        // The numbers tell better what is missing, but before the first one.
        if chain.number == 0, missingAtEnd > 0 {
            noteMissing(missingAtEnd, before: entry.number)
        }
        (missingAtEnd, changesAtEnd) = (0, 0)
        if chain.number > 0, !isNext {
            noteMissing(
                Int(clamping: entry.number - chain.number - 1), before: entry.number)
        } else if isNext, entry.previous != chain.hash {
            noteMissing(1, before: entry.number)
        }
        chain = JournalChain(number: entry.number, hash: entry.hash)
        isEndUnread = entry.entry == nil
        guard let content = entry.entry else {
            segments[index].isDamaged = true
            return noteMissing(1, before: entry.number)
        }
        switch content {
        case .snapshot: since = entry.number
        case .beginning(_, let number) where number > 0: since = number
        case .letGo(let number): since = number
        case .beginning, .transaction, .confirmed: break
        }
        replay.take(content, in: segments[index].number)
    }
}

extension JournalReading {
    /// Changes that stood here alone and that nobody can read: so many at least. What they held may have
    /// come again in later ones.
    ///
    /// - Parameter counter: the last transaction that the database knows; nil where there is none. Of what
    ///   it knows nothing is missing.
    func missingChanges(beside counter: Int64?) -> Int {
        guard !replay.isEmpty else { return 0 }
        let known = counter ?? 0
        let atBeginning = replay.numbers.before(after: known).map { min($0, lostAtBeginning) } ?? 0
        return atBeginning + replay.numbers.missing(after: known) + unreadAtEnd(beside: counter)
    }

    /// Where the database knows more than what can be read, that is what cannot be.
    private func unreadAtEnd(beside counter: Int64?) -> Int {
        if let counter, counter > replay.numbers.last { return 0 }
        guard changesAtEnd == 0, !isEndUnread else { return max(1, changesAtEnd) }
        // A write that was cut was never called saved. But zeros over the last entries look the same, and
        // a database that is gone or older is no witness.
        let isWitness = counter.map { $0 >= replay.durableNumber } ?? false
        return !isWitness && (isTorn || lacksBeginning) ? 1 : 0
    }
}
