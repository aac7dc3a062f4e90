import Coding
import Replication
import TestSupport
import Testing

struct ClockTests {
    @Test("what was seen before an edit has a smaller count than the edit")
    func order() throws {
        var clock = LamportClock(counter: 5)
        try clock.witness(40)
        #expect(clock.tick() == 41)
        try clock.witness(7)
        #expect(clock.tick() == 42)
    }

    @Test("C-22 a count that jumps past 2^32 is refused and leaves the clock as it was")
    func jump() throws {
        var clock = LamportClock(counter: 10)
        #expect(throws: ReplicationError.lamportJump) { try clock.witness(11 + (1 << 32)) }
        #expect(throws: ReplicationError.lamportJump) { try clock.witness(.max) }
        #expect(throws: ReplicationError.lamportJump) { try clock.witness(-1) }
        #expect(clock.counter == 10)
        try clock.witness(10 + (1 << 32))
        #expect(clock.counter == 10 + (1 << 32))
    }

    @Test("near the end of the range no device drives the counters of all to it")
    func end() throws {
        var clock = LamportClock(counter: 1 << 61)
        for _ in 0..<2 { try clock.witness(clock.counter + (1 << 32)) }
        clock = LamportClock(counter: .max / 2)
        #expect(throws: ReplicationError.lamportJump) {
            try clock.witness(clock.counter + (1 << 32))
        }
        try clock.witness(clock.counter + (1 << 20))
        #expect(clock.counter == .max / 2 + (1 << 20), "an honest device goes on")
        clock = LamportClock(counter: .max)
        #expect(clock.tick() == .max, "two edits that count the same end no program")
        try clock.witness(.max)
    }

    @Test("T55 counters survive the wire to the last bit, and texts of times order nothing")
    func exactCounters() throws {
        for lamport in [9_007_199_254_740_993, 1 << 60, Int64.max - 1] {
            let mutation = edit(.update, ["a": 1], lamport: lamport)
            let back = try Mutation(json: .parse(mutation.json.serialized()))
            #expect(back.lamport == lamport)
            #expect(back.changes["a"]?.lamport == lamport)
        }
        var early = edit(.update, ["a": 1], lamport: 9)
        early.createdAtUtc = "1970-01-01T00:00:00.000Z"
        var server = RecordServer(policy: .lww)
        _ = server.take(edit(.insert, ["a": 2], lamport: 8), by: "B")
        #expect(server.take(early, by: "A").status == .merged)
        #expect(server.value("a") == .integer(1))
    }
}

struct SyncTimestampTests {
    @Test(
        "milliseconds and text are one instant",
        arguments: [
            (Int64(0), "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (1_772_438_400_000, "2026-03-02T08:00:00.000Z"),
            (951_782_400_123, "2000-02-29T00:00:00.123Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
        ])
    func known(instant: Int64, text: String) throws {
        #expect(SyncTimestamp.text(instant) == text)
        #expect(try SyncTimestamp.milliseconds(text) == instant)
    }

    @Test("any instant of ten thousand years comes back", arguments: [UInt64(1), 2])
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<5_000 {
            let instant = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            #expect(
                try SyncTimestamp.milliseconds(SyncTimestamp.text(instant)) == instant, "\(instant)"
            )
        }
    }

    @Test(
        "other spellings are refused",
        arguments: [
            "", "2026-03-02", "2026-02-30T00:00:00.000Z", "2026-13-01T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z", "2026-03-02T24:00:00.000Z", "2026-03-02T08:00:00.000+",
            "2026-03-02 08:00:00.000Z", "2026-03-02T08:00:00,000Z", "２026-03-02T08:00:00.0Z",
        ])
    func refused(text: String) {
        #expect(throws: ReplicationError.malformedTimestamp) {
            try SyncTimestamp.milliseconds(text)
        }
    }
}

struct UUIDTextTests {
    @Test("version 5 agrees with the example of RFC 9562")
    func version5() {
        let dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
        #expect(
            UUIDText.version5(namespace: dns, name: "www.example.com")
                == "2ed6657d-e927-568b-95e1-2665a8aea6a2")
    }

    @Test("derived ids are stable, and parts do not run into each other")
    func derived() {
        #expect(UUIDText.derived("site", "S-01") == UUIDText.derived("site", "S-01"))
        #expect(UUIDText.derived("site", "a", "bc") != UUIDText.derived("site", "ab", "c"))
        #expect(UUIDText.derived("site", "x") != UUIDText.derived("asset", "x"))
    }

    @Test("version 4 carries its version and variant")
    func version4() {
        var random = SeededRandom(seed: 4)
        for _ in 0..<100 {
            let text = UUIDText.version4(using: &random)
            #expect(UUIDText.isWellFormed(text))
            let characters = Array(text)
            #expect(characters[14] == "4")
            #expect("89ab".contains(characters[19]))
        }
        #expect(!UUIDText.isWellFormed("2ED6657D-e927-568b-95e1-2665a8aea6a2"))
    }
}

struct EnrollmentCodeTests {
    private let code = EnrollmentCode(secret: Array(0..<16), caCertificate: [1, 2, 3])

    @Test("a code reads back however it was typed")
    func typed() throws {
        let text = code.text
        #expect(text.count == 64)
        let sloppy = text.lowercased().replacing("-", with: " ").replacing("0", with: "o")
            .replacing("1", with: "l")
        for typed in [text, text.replacing("-", with: ""), sloppy, text.replacing("1", with: "I")] {
            #expect(try EnrollmentCode(parsing: typed) == code)
        }
    }

    @Test("a code names one certificate authority")
    func fingerprint() {
        #expect(code.names(caCertificate: [1, 2, 3]))
        #expect(!code.names(caCertificate: [1, 2, 4]))
        #expect(code.secretHash.count == 32)
    }

    @Test("what is no code is refused", arguments: ["", "7Q4Z", "7Q4Z-0M3K!", "é"])
    func refused(text: String) {
        #expect(throws: ReplicationError.malformedEnrollmentCode) {
            try EnrollmentCode(parsing: text)
        }
        #expect(throws: ReplicationError.malformedEnrollmentCode) {
            try EnrollmentCode(parsing: code.text + "0000")
        }
    }
}
