import Coding
import TestSupport
import Testing

private func parse(_ text: String, limits: JSONLimits = .wire) throws(CodingError) -> JSON {
    try JSON.parse([UInt8](text.utf8), limits: limits)
}

private func code(_ bytes: [UInt8], limits: JSONLimits = .wire) -> CodingError.Code? {
    do throws(CodingError) {
        _ = try JSON.parse(bytes, limits: limits)
        return nil
    } catch {
        return error.code
    }
}

private func code(_ text: String, limits: JSONLimits = .wire) -> CodingError.Code? {
    code([UInt8](text.utf8), limits: limits)
}

struct JSONTests {
    @Test("64-bit integers stay exact and apart from doubles")
    func integers() throws {
        #expect(try parse("9223372036854775807") == .integer(.max))
        #expect(try parse("-9223372036854775808") == .integer(.min))
        #expect(try parse("[1,1.0]") == [.integer(1), .double(1)])
        #expect(code("9223372036854775808") == .numberRange)
        #expect(code("1e999") == .numberRange)
    }

    @Test(
        "what is not one JSON document in UTF-8 is refused",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "nul", "NaN", "Infinity", "'a'", "{a:1}", "01",
            "1 2", "{} x", "[1]]", "\u{FEFF}{}", "\"\u{1}\"", "// c\n1", "\"a", "+1", ".5", "1.",
        ])
    func syntax(text: String) {
        #expect(code(text) == .malformed)
    }

    @Test("a second key of the same name is refused, also when only its composition differs")
    func duplicateKeys() {
        #expect(code(#"{"a":1,"a":2}"#) == .duplicateKey)
        #expect(code(#"{"a":1,"\u0061":2}"#) == .duplicateKey)
        #expect(code("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}") == .duplicateKey)
    }

    @Test("T28 text that would break on its way is refused, whatever else is kept exactly")
    func hostileText() throws {
        #expect(code(#""\u0000""#) == .malformed)
        #expect(code(#"{"a\u0000b":1}"#) == .malformed)
        #expect(code(#""\uD800""#) == .malformed)
        #expect(code(#""\uDC00\uD800""#) == .malformed)
        #expect(code([0x22, 0xFF, 0x22]) == .malformed)
        #expect(code([0x22, 0xC0, 0x80, 0x22]) == .malformed)
        #expect(code([0x22, 0xED, 0xA0, 0x80, 0x22]) == .malformed)
        #expect(code([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00]) == .malformed)
        let kept = [
            "\u{FFFE}", "\u{FFFF}", "\u{202E}abc", "שלום", "👩‍👩‍👧‍👦", "e\u{301}", "\u{E9}", "\u{7F}",
            "\u{2028}", "\u{1B}[31m", "\\\"\r\n\t\u{8}\u{C}", "\u{10FFFF}", "",
        ]
        for text in kept {
            let back = try JSON.parse(JSON.string(text).serialized())
            let bytes = try Array(back.asString().utf8)
            #expect(bytes == Array(text.utf8))
        }
    }

    @Test("limits hold at n and break at n + 1")
    func limits() {
        let nested = { (depth: Int) in
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(code(nested(32)) == nil)
        #expect(code(nested(33)) == .tooLarge)
        #expect(code(nested(100_000)) == .tooLarge)
        #expect(code("\"" + String(repeating: "[", count: 100) + "\"") == nil)
        let string = { (count: Int) in "\"" + String(repeating: "a", count: count) + "\"" }
        #expect(code(string(65_536)) == nil)
        #expect(code(string(65_537)) == .tooLarge)
        #expect(code(string(1 << 20)) == .tooLarge)
        let small = JSONLimits(bytes: 8, depth: 2, stringBytes: 3, values: 3)
        #expect(code("[1,2]   ", limits: small) == nil)
        #expect(code("[1,2]    ", limits: small) == .tooLarge)
        #expect(code("[1,2,3]", limits: small) == .tooLarge)
        let keys = JSONLimits(bytes: 99, depth: 2, stringBytes: 3, values: 9)
        #expect(code(#"{"abcd":1}"#, limits: keys) == .tooLarge)
    }

    @Test("an error says where, and never what")
    func errorsNamePlaces() throws {
        let json = try parse(#"{"mutations":[{"recordId":"a"},{"recordId":7,"secret":"s3cret"}]}"#)
        do throws(CodingError) {
            _ = try json.array("mutations") { item throws(CodingError) in
                try item.string("recordId")
            }
            Issue.record("the second record id is no string")
        } catch {
            #expect(error.description == "mutations[1].recordId: expected a string")
        }
        do throws(CodingError) {
            _ = try json.integer("lamport")
            Issue.record("there is no such member")
        } catch {
            #expect(error.description == "lamport: is missing")
        }
        do throws(CodingError) {
            _ = try parse(#"{"pin":"123456" "x"}"#)
            Issue.record("there is no comma")
        } catch {
            #expect(!error.description.contains("123456"))
        }
    }

    @Test("null counts as absent for optional members, and unknown members are tolerated")
    func optionalMembers() throws {
        let json = try parse(#"{"a":null,"b":1,"unknown":{}}"#)
        #expect(try json.optionalString("a") == nil)
        #expect(try json.optionalString("missing") == nil)
        #expect(try json.optionalInteger("b") == 1)
        #expect(throws: CodingError.self) { try json.optionalString("b") }
        #expect(throws: CodingError.self) { try JSON.integer(1).member("a") }
    }

    @Test("keys are written in the order of their bytes, so that equal values give equal bytes")
    func stableOutput() throws {
        let json: JSON = ["b": 1, "a": [true, nil, "x"], "é": "\u{1}", "Z": .object([:])]
        #expect(json.text() == #"{"Z":{},"a":[true,null,"x"],"b":1,"é":"\u0001"}"#)
        let nested: JSON = ["a": [1], "b": [:]]
        #expect(nested.text(pretty: true) == "{\n  \"a\": [\n    1\n  ],\n  \"b\": {}\n}")
    }

    @Test("whatever is written reads back equal", arguments: [UInt64(1), 2, 3, 20_261_130])
    func roundTrip(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for step in 0..<2_000 {
            let json = arbitrary(&random, depth: 4)
            let pretty = random.oneIn(2)
            let back = try JSON.parse(json.serialized(pretty: pretty))
            #expect(back == json, "seed \(seed), step \(step)")
        }
    }

    @Test("20,000 damaged documents neither crash nor pass for more than they are")
    func damagedDocuments() throws {
        var random = SeededRandom(seed: 28)
        let mutation: JSON = ["id": "8f", "value": .double(160.5), "n": nil, "l": [1, -2]]
        let sample = JSON.object(["mutations": [mutation]]).serialized()
        for step in 0..<20_000 {
            var bytes = sample
            for _ in 0...random.below(3) {
                bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.oneIn(3) { bytes.removeLast(random.below(bytes.count)) }
            guard code(bytes) == nil else { continue }
            let json = try JSON.parse(bytes)
            #expect(try JSON.parse(json.serialized()) == json, "step \(step)")
        }
    }
}

private func arbitrary(_ random: inout SeededRandom, depth: Int) -> JSON {
    switch random.below(depth > 0 ? 9 : 6) {
    case 0: return .null
    case 1: return .bool(random.oneIn(2))
    case 2: return .integer(Int64(bitPattern: random.next() >> UInt64(random.below(64))))
    case 3, 4: return .double(finiteDouble(&random))
    case 5: return .string(arbitraryText(&random))
    case 6, 7:
        return .array((0..<random.below(4)).map { _ in arbitrary(&random, depth: depth - 1) })
    default:
        var members: [String: JSON] = [:]
        for _ in 0..<random.below(4) {
            members[arbitraryText(&random)] = arbitrary(&random, depth: depth - 1)
        }
        return .object(members)
    }
}

/// Any bit pattern that is a number: subnormals, extremes, and many near whole numbers.
func finiteDouble(_ random: inout SeededRandom) -> Double {
    while true {
        let number =
            random.oneIn(2)
            ? Double(bitPattern: random.next())
            : Double(Int64(bitPattern: random.next()) >> 20) / 1024
        if number.isFinite { return number }
    }
}

func arbitraryText(_ random: inout SeededRandom) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(8) {
        let top = random.pick([0x7F, 0x7FF, 0xFFFF, 0x10FFFF])
        if let scalar = Unicode.Scalar(UInt32(1 + random.below(top))) { text.append(scalar) }
    }
    return String(text)
}
