import Crypto
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("Entries in a segment of the journal")
struct JournalSegmentTests {
    private static let cipherKey = SecretBytes.random(count: 32)
    private let cipher: JournalCipher
    private let frames: [[UInt8]]
    private static let spare = [UInt8](repeating: 0, count: 600)

    init() throws {
        cipher = try JournalCipher.keyed(by: Self.cipherKey)
        var chain = JournalChain()
        var frames: [[UInt8]] = []
        for number in 1...4 {
            frames.append(try chain.frame(.confirmed(Int64(number)), by: cipher))
        }
        self.frames = frames
    }

    private var segment: [UInt8] { frames.flatMap { $0 } + Self.spare }

    private func numbers(_ reading: JournalSegmentReading) -> [Int64] {
        reading.entries.compactMap { entry in
            if case .confirmed(let number) = entry.entry { number } else { nil }
        }
    }

    @Test("entries are read in their order, and behind them is room")
    func order() {
        let reading = JournalSegmentReading(segment, by: cipher)
        #expect(numbers(reading) == [1, 2, 3, 4])
        #expect(reading.end == segment.count - Self.spare.count)
        #expect(reading.tail == .free && reading.damagedPlaces == 0)
        for (entry, after) in zip(reading.entries, reading.entries.dropFirst()) {
            #expect(after.previous == entry.hash)
        }
    }

    @Test("a power cut in the last entry, at whatever byte, leaves all before it")
    func torn() {
        let whole = frames.dropLast().flatMap { $0 }
        let last = frames[3]
        // Zeros at its end are there also where they were not written.
        let end = last.lastIndex { $0 != 0 } ?? 0
        for written in 0...end {
            let bytes = whole + last.prefix(written)
            let rest = last.count - written + Self.spare.count
            let segment = bytes + [UInt8](repeating: 0, count: rest)
            let reading = JournalSegmentReading(segment, by: cipher)
            #expect(numbers(reading) == [1, 2, 3], "\(written) bytes")
            #expect(reading.end == whole.count)
            #expect(reading.tail == (written > 0 ? .cut : .free), "\(written) bytes")
            #expect(reading.damagedPlaces == 0)
        }
    }

    @Test("a power cut that took a sector and not those behind it is no damage")
    func missingSector() throws {
        let long = JournalOrigin(metadata: ["token": .text(String(repeating: "x", count: 4000))])
        var chain = JournalChain()
        let frame = try chain.frame(.beginning(long, since: 0), by: cipher)
        let spare = [UInt8](repeating: 0, count: 1000)
        for sector in 0..<frame.count / 512 {
            var bytes = frame + spare
            for place in sector * 512..<(sector + 1) * 512 { bytes[place] = 0 }
            let reading = JournalSegmentReading(bytes, by: cipher)
            #expect(reading.tail == .cut, "sector \(sector)")
            #expect(reading.entries.isEmpty)
        }
    }

    @Test("an entry that is there to its last byte and does not open is damage, also at the end")
    func flippedLast() {
        let start = segment.count - Self.spare.count - frames[3].count
        // A zero there could be one that was never written.
        let tail: JournalTail = frames[3].last == 0 ? .cut : .damaged(entries: 1)
        for place in start + JournalFrame.headByteCount..<start + frames[3].count - 1 {
            var bytes = segment
            bytes[place] ^= 1 << UInt8(place % 8)
            let reading = JournalSegmentReading(bytes, by: cipher)
            #expect(numbers(reading) == [1, 2, 3], "byte \(place)")
            #expect(reading.tail == tail, "byte \(place)")
        }
    }

    @Test("more at the end than one write can leave is damage", arguments: UInt64(1)...20)
    func noiseBehind(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let start = frames[0].count + random.below(frames[1].count)
        var bytes = segment
        for place in start..<segment.count - Self.spare.count { bytes[place] ^= 0x5A }
        let reading = JournalSegmentReading(bytes, by: cipher)
        #expect(numbers(reading) == [1], "seed \(seed)")
        #expect(reading.tail == .damaged(entries: 1), "seed \(seed)")
    }

    @Test("a changed bit in an entry, whichever, costs this entry and no other")
    func flipped() {
        let start = frames[0].count
        for place in start..<start + frames[1].count {
            var bytes = segment
            bytes[place] ^= 1 << UInt8(place % 8)
            let reading = JournalSegmentReading(bytes, by: cipher)
            #expect(numbers(reading) == [1, 3, 4], "byte \(place)")
            #expect(reading.damagedPlaces == 1)
            #expect(reading.tail == .free)
        }
    }

    @Test("zeros over an entry cost this entry and no other")
    func zeroed() {
        var bytes = segment
        let start = frames[0].count
        for place in start..<start + frames[1].count { bytes[place] = 0 }
        let reading = JournalSegmentReading(bytes, by: cipher)
        #expect(numbers(reading) == [1, 3, 4])
        #expect(reading.damagedPlaces == 1)
    }

    @Test("another key reads nothing")
    func otherKey() throws {
        let other = try JournalCipher.keyed(by: SecretBytes.random(count: 32))
        let reading = JournalSegmentReading(segment, by: other)
        #expect(reading.entries.isEmpty)
        #expect(reading.tail == .damaged(entries: 4))
    }

    @Test("an entry does not open under another's number")
    func otherNumber() throws {
        let frame = try #require(JournalFrame(in: segment, at: 0))
        let moved = JournalFrame(number: 7, box: frame.box).bytes
        #expect(JournalSegmentReading(moved + Self.spare, by: cipher).entries.isEmpty)
    }

    @Test("random bytes are no entries and no reason to stop", arguments: UInt64(1)...20)
    func noise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let noise = JournalFrame.magic + random.bytes(200 + random.below(300))
        let reading = JournalSegmentReading(noise + segment, by: cipher)
        #expect(numbers(reading) == [1, 2, 3, 4], "seed \(seed)")
        #expect(reading.damagedPlaces == 1)
    }
}

@Suite("The whole journal, read")
struct JournalReadingTests {
    private let folder = ScriptedFolder()
    private let cipher: JournalCipher

    init() throws { cipher = try JournalCipher.keyed(by: SecretBytes.random(count: 32)) }

    /// Segments with these entries, the chain going through all of them.
    private func fill(_ contents: [[JournalEntry]]) throws {
        var chain = JournalChain()
        for (index, entries) in contents.enumerated() {
            var bytes: [UInt8] = []
            for entry in entries { bytes += try chain.frame(entry, by: cipher) }
            let file = try folder.make(JournalSegment.name(index + 1), byteCount: 4096)
            try file.write(bytes, at: 0)
        }
    }

    private func read() throws -> JournalReading { try JournalReading(folder, by: cipher) }

    private static let mark = JournalEntry.confirmed(0)

    @Test("segments that went first are not missed")
    func prefixGone() throws {
        try fill([[Self.mark, Self.mark], [Self.mark, Self.mark]])
        try folder.remove(JournalSegment.name(1))
        #expect(try read().isSound)
        #expect(try read().chain.number == 4)
    }

    private static let later = JournalEntry.beginning(JournalOrigin(metadata: [:]), since: 1)

    @Test(
        "a first segment that is gone or empty is told, by the numbers, where it still counted",
        arguments: [false, true])
    func beginningGone(isEmptied: Bool) throws {
        try fill([[Self.mark, Self.mark, Self.mark], [Self.later, Self.mark]])
        #expect(try read().isSound)
        if isEmptied {
            folder.change(JournalSegment.name(1)) { $0 = [UInt8](repeating: 0, count: $0.count) }
        } else {
            try folder.remove(JournalSegment.name(1))
        }
        #expect(try read().lost == 3)
    }

    @Test("what an entry lets go is not missed, at the beginning or behind a file that stayed")
    func letGo() throws {
        try fill([[Self.mark], [Self.mark], [Self.later, Self.mark, .letGo(before: 3)]])
        try folder.remove(JournalSegment.name(2))
        #expect(try read().isSound)
        try folder.remove(JournalSegment.name(1))
        #expect(try read().isSound)
    }

    @Test("an entry that is missing between others is told")
    func gap() throws {
        try fill([[Self.mark, Self.mark], [Self.mark], [Self.mark]])
        try folder.remove(JournalSegment.name(2))
        #expect(try read().lost == 1)
    }

    @Test("what is damaged at the end of a segment is counted once, by the next one's number")
    func damagedEnd() throws {
        try fill([[Self.mark, Self.mark], [Self.mark]])
        folder.change(JournalSegment.name(1)) { bytes in
            let second = JournalFrame.all(in: bytes)[1]
            bytes[second.start + second.frame.byteCount / 2] ^= 1
        }
        #expect(try read().lost == 1)
        #expect(try read().segments.map(\.isDamaged) == [true, false])
        try folder.remove(JournalSegment.name(2))
        #expect(try read().lost == 1)
        #expect(try !read().isTorn)
    }

    @Test("a first segment of which nothing is readable is told")
    func damagedBeginning() throws {
        try fill([[Self.mark, Self.mark], [Self.mark]])
        folder.change(JournalSegment.name(1)) { bytes in
            for place in bytes.indices where bytes[place] != 0 { bytes[place] ^= 0x5A }
        }
        #expect(try read().lost > 0)
        #expect(try read().chain.number == 3)
    }

    @Test("a segment that somebody put back is told, and says nothing new")
    func replayed() throws {
        try fill([[Self.mark, Self.mark]])
        let old = try folder.contents(of: JournalSegment.name(1))
        let copy = try folder.make(JournalSegment.name(2), byteCount: old.count)
        try copy.write(old, at: 0)
        #expect(try read().lost == 2)
        #expect(try read().chain.number == 2)
    }

    @Test("an entry that was exchanged for an older one of its own number is told")
    func exchanged() throws {
        try fill([[Self.mark, .confirmed(1), .confirmed(2)]])
        var other = JournalChain()
        let frame = try other.frame(.confirmed(9), by: cipher)
        folder.change(JournalSegment.name(1)) { $0.replaceSubrange(0..<frame.count, with: frame) }
        #expect(try read().lost == 1)
    }

    @Test("a file that cannot be read is told and left alone")
    func unreadable() throws {
        try fill([[Self.mark]])
        folder.fail(.read, with: 5)
        let reading = try read()
        #expect(reading.faults.count == 1)
        #expect(reading.segments.map(\.isDamaged) == [true])
        #expect(!reading.isSound)
    }

    @Test("only segments are read", arguments: ["1.journal", "x", "00000001.journal.damaged"])
    func otherFiles(name: String) throws {
        _ = try folder.make(name, byteCount: 16)
        #expect(try read().segments.isEmpty)
    }
}
