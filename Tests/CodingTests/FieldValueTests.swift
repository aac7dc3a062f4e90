import Coding
import TestSupport
import Testing

struct FieldValueTests {
    @Test("a whole double within 2^53 counts and travels as the integer")
    func wholeDoubles() throws {
        #expect(try FieldValue(number: 150) == .integer(150))
        #expect(FieldValue.double(150) == .integer(150))
        #expect(FieldValue.double(150).hashValue == FieldValue.integer(150).hashValue)
        #expect(try FieldValue(number: -0.0) == .integer(0))
        #expect(FieldValue.double(9_007_199_254_740_992).json == .integer(9_007_199_254_740_992))
        #expect(FieldValue.double(9_007_199_254_740_994).json == .double(9_007_199_254_740_994))
        #expect(try FieldValue(number: 160.5) != .integer(160))
        #expect(try FieldValue(json: .double(3)) == .integer(3))
    }

    @Test("what no store can keep exactly is refused at entry, without its value in the message")
    func refusals() throws {
        #expect(throws: FieldValueError.notFinite) { try FieldValue(number: .infinity) }
        #expect(throws: FieldValueError.notFinite) { try FieldValue(number: .nan) }
        #expect(throws: FieldValueError.containsNUL) { try FieldValue(text: "a\u{0}b") }
        #expect(throws: FieldValueError.tooLong) {
            try FieldValue(text: String(repeating: "é", count: 32_769))
        }
        #expect(try FieldValue(text: String(repeating: "é", count: 32_768)).plainText.count > 0)
        #expect(throws: CodingError.self) { try FieldValue(json: true) }
        #expect(throws: CodingError.self) { try FieldValue(json: []) }
    }

    @Test("two spellings of one character are two values")
    func composition() {
        let composed = FieldValue.string("caf\u{E9}")
        let decomposed = FieldValue.string("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(composed.canonicalBytes != decomposed.canonicalBytes)
    }

    @Test("canonical bytes carry type and length")
    func canonicalBytes() {
        let expected: [(FieldValue, String)] = [
            (.null, "1:n"), (.integer(-7), "3:i-7"), (.double(150), "4:i150"),
            (.double(160.5), "6:d160.5"), (.string("7"), "2:s7"), (.string("é"), "3:sé"),
            (.double(1e300), "7:d1e+300"), (.string(""), "1:s"),
        ]
        for (value, text) in expected {
            #expect(String(decoding: value.canonicalBytes, as: UTF8.self) == text)
        }
    }

    @Test("the order is total and agrees with equality", arguments: [UInt64(4), 5])
    func order(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let edge: [FieldValue] = [
            .integer(.max), .integer(.min), .double(0x1p63), .double(-0x1p63),
            .integer(1 << 53), .double(0x1p53), .integer((1 << 53) + 1), .double(0.5), .integer(0),
            .integer(1), .double(-0.5), .null, .string(""), .integer(1 << 60), .double(0x1p60),
        ]
        for step in 0..<3_000 {
            let a = random.oneIn(2) ? random.pick(edge) : arbitraryValue(&random)
            let b = random.oneIn(2) ? random.pick(edge) : arbitraryValue(&random)
            let c = random.oneIn(2) ? random.pick(edge) : arbitraryValue(&random)
            let relations = [a < b, a == b, b < a].filter { $0 }.count
            #expect(relations == 1, "seed \(seed), step \(step)")
            if a < b && b < c { #expect(a < c, "seed \(seed), step \(step)") }
            #expect((a == b) == (a.canonicalBytes == b.canonicalBytes))
        }
    }

    @Test("each value survives the wire", arguments: [UInt64(6), 7])
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for step in 0..<3_000 {
            let value = arbitraryValue(&random)
            let back = try FieldValue(json: JSON.parse(value.json.serialized()))
            #expect(back == value, "seed \(seed), step \(step)")
            #expect(back.canonicalBytes == value.canonicalBytes, "seed \(seed), step \(step)")
        }
    }
}

private func arbitraryValue(_ random: inout SeededRandom) -> FieldValue {
    switch random.below(4) {
    case 0: .null
    case 1: .integer(Int64(bitPattern: random.next() >> UInt64(random.below(64))))
    case 2: .double(finiteDouble(&random))
    default: .string(arbitraryText(&random))
    }
}
