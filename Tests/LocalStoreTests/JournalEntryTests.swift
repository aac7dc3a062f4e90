import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

@Suite("What an entry of the journal holds")
struct JournalEntryTests {
    @Test("an entry reads back as it was written, whatever is in it", arguments: UInt64(1)...60)
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let entry = RandomEntries.entry(&random)
        #expect(try JournalEntry(decoding: entry.encoded()) == entry, "seed \(seed)")
    }

    @Test("of an entry that is cut anywhere nothing is believed", arguments: UInt64(1)...10)
    func cut(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = RandomEntries.entry(&random).encoded()
        for count in bytes.indices {
            #expect(throws: JournalFault.malformed, "seed \(seed), \(count) bytes") {
                try JournalEntry(decoding: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: JournalFault.malformed) { try JournalEntry(decoding: bytes + [0]) }
    }

    @Test(
        "whatever byte changes, reading ends with an entry or an error", arguments: UInt64(1)...10)
    func changed(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bytes = RandomEntries.entry(&random).encoded()
        for place in bytes.indices {
            var other = bytes
            other[place] = UInt8(truncatingIfNeeded: random.next())
            do {
                _ = try JournalEntry(decoding: other)
            } catch {
                #expect(error is JournalFault, "seed \(seed), byte \(place)")
            }
        }
    }

    @Test("an entry of a newer version is told from damage")
    func newer() {
        var bytes = JournalBytes()
        bytes.append(Int64(5))
        #expect(throws: JournalFault.newerFormat(5)) { try JournalEntry(decoding: bytes.bytes) }
    }

    @Test("an entry of the first format is read: it knows of no older epoch and no pull position")
    func firstFormat() throws {
        var bytes = JournalBytes()
        // Format 1, a transaction, its number, durable; lamport, sequence, epoch and baton.
        for number: Int64 in [1, 2, 7] { bytes.append(number) }
        bytes.append(true)
        for number: Int64 in [9, 3, 1] { bytes.append(number) }
        bytes.append(DatabaseValue.text("baton"))
        bytes.append(false)
        // One change: the mutation stands.
        for number: Int64 in [1, 1] { bytes.append(number) }
        append(mutation: &bytes)
        let entry = JournalEntry.transaction(
            JournalTransaction(
                number: 7, isDurable: true,
                position: JournalPosition(
                    lamport: 9, sequence: 3, serverEpoch: 1, baton: "baton"),
                changes: [.standing(mutation)]))
        #expect(try JournalEntry(decoding: bytes.bytes) == entry)
    }

    @Test("a snapshot of the second format is read: it offers what was not saved")
    func secondFormat() throws {
        var bytes = JournalBytes()
        // Format 2, a snapshot, its number; lamport, sequence, epoch, baton and pull position.
        for number: Int64 in [2, 1, 7, 9, 3, 1] { bytes.append(number) }
        for _ in 1...2 { bytes.append(DatabaseValue.null) }
        // An origin of nothing, no mutation, one offer.
        for number: Int64 in [0, 0, 1] { bytes.append(number) }
        append(mutation: &bytes)
        bytes.append(false)
        let entry = JournalEntry.snapshot(
            JournalSnapshot(
                number: 7, position: JournalPosition(lamport: 9, sequence: 3, serverEpoch: 1),
                origin: JournalOrigin(metadata: [:]), mutations: [],
                offered: [JournalledOffer(mutation: mutation, doubt: .unsaved)]))
        #expect(try JournalEntry(decoding: bytes.bytes) == entry)
    }

    @Test(
        "a segment's beginning of the third format is read: it says nothing of what went before it")
    func thirdFormat() throws {
        var bytes = JournalBytes()
        // Format 3, a beginning, an origin of nothing.
        for number: Int64 in [3, 0, 0] { bytes.append(number) }
        #expect(
            try JournalEntry(decoding: bytes.bytes)
                == .beginning(JournalOrigin(metadata: [:]), since: 0))
    }

    private let mutation = JournalledMutation(
        id: "m", sequence: 3, table: "inspection", record: "r", operation: "UPDATE",
        status: "PENDING", isSealed: false, lamport: 9, bytes: 64, schemaVersion: 1,
        retryCount: 0, createdAt: "at",
        fields: [
            "notes": JournalledMutation.Field(
                value: .text("new"), baseValue: .null, baseVersion: 4, lamport: 9)
        ])

    /// That mutation as the first format had it; the second says after a field that its base is no old
    /// one.
    private func append(mutation bytes: inout JournalBytes) {
        for text in ["m", "inspection", "r", "UPDATE", "PENDING", "at"] { bytes.append(text) }
        for number: Int64 in [3, 9, 64, 1, 0] { bytes.append(number) }
        bytes.append(false)
        for _ in 1...4 { bytes.append(DatabaseValue.null) }
        for number: Int64 in [0, 1] { bytes.append(number) }
        bytes.append("notes")
        for value in [DatabaseValue.text("new"), .null] { bytes.append(value) }
        for number: Int64 in [4, 9] { bytes.append(number) }
    }

    @Test(
        "every whole number comes back",
        arguments: [0, 1, -1, 63, 64, -64, -65, 1 << 40, Int64.max, Int64.min])
    func numbers(number: Int64) throws {
        var bytes = JournalBytes()
        bytes.append(number)
        var reader = JournalByteReader(bytes.bytes)
        #expect(try reader.integer() == number)
        #expect(reader.isAtEnd)
    }
}

/// Entries as no device would make them.
enum RandomEntries {
    static func entry(_ random: inout SeededRandom) -> JournalEntry {
        switch random.below(5) {
        case 0: .beginning(origin(&random), since: random.next())
        case 4: .letGo(before: random.next())
        case 1:
            .snapshot(
                JournalSnapshot(
                    number: integer(&random), position: position(&random),
                    origin: origin(&random), mutations: mutations(&random),
                    offered: mutations(&random).map { mutation in
                        JournalledOffer(
                            mutation: mutation, doubt: random.pick(OfferedChange.Doubt.allCases))
                    }))
        case 2: .transaction(transaction(&random))
        default: .confirmed(integer(&random))
        }
    }

    static func transaction(_ random: inout SeededRandom) -> JournalTransaction {
        JournalTransaction(
            number: integer(&random), isDurable: random.oneIn(2), position: position(&random),
            origin: random.oneIn(3) ? origin(&random) : nil,
            changes: mutations(&random).map { mutation in
                switch random.below(3) {
                case 0: .settled(mutation.id)
                case 1: .standing(mutation)
                default: .amended(mutation, removed: [text(&random), text(&random)])
                }
            })
    }

    static func mutations(_ random: inout SeededRandom) -> [JournalledMutation] {
        (0..<random.below(4)).map { _ in mutation(&random) }
    }

    static func mutation(_ random: inout SeededRandom) -> JournalledMutation {
        var mutation = JournalledMutation(
            id: text(&random), sequence: integer(&random), table: text(&random),
            record: text(&random), parent: random.oneIn(2) ? nil : text(&random),
            operation: "UPDATE", status: "PENDING", isSealed: random.oneIn(2),
            lamport: integer(&random), bytes: integer(&random), schemaVersion: 1, retryCount: 0,
            nextAttempt: random.oneIn(2) ? nil : integer(&random),
            lastError: random.oneIn(2) ? nil : text(&random),
            snapshot: random.oneIn(2) ? nil : text(&random), createdAt: text(&random))
        for _ in 0..<random.below(4) {
            mutation.fields[text(&random)] = JournalledMutation.Field(
                value: value(&random), baseValue: value(&random), baseVersion: integer(&random),
                lamport: integer(&random), isOldBase: random.oneIn(2))
            mutation.others[text(&random)] = value(&random)
        }
        return mutation
    }

    private static func origin(_ random: inout SeededRandom) -> JournalOrigin {
        JournalOrigin(metadata: ["node": value(&random), text(&random): value(&random)])
    }

    private static func position(_ random: inout SeededRandom) -> JournalPosition {
        JournalPosition(
            lamport: integer(&random), sequence: integer(&random), serverEpoch: integer(&random),
            baton: random.oneIn(2) ? nil : text(&random),
            pullPosition: random.oneIn(2) ? nil : text(&random))
    }

    private static func integer(_ random: inout SeededRandom) -> Int64 {
        Int64(bitPattern: random.next()) >> Int64(random.below(64))
    }

    private static func text(_ random: inout SeededRandom) -> String {
        String((0..<random.below(12)).map { _ in random.pick(Array("aZ09@é€😀\u{0}\n")) })
    }

    private static func value(_ random: inout SeededRandom) -> DatabaseValue {
        switch random.below(5) {
        case 0: .null
        case 1: .integer(integer(&random))
        case 2: .real(Double(random.below(1000)) / 7)
        case 3: .text(text(&random))
        default: .blob(random.bytes(random.below(9)))
        }
    }
}
