import Crypto
import Testing

@Suite("Bytes as text")
struct TextEncodingTests {
    @Test("hexadecimal goes there and back, and reads both cases")
    func hexadecimal() throws {
        let all = (0...255).map { UInt8($0) }
        #expect(try Hexadecimal.decode(Hexadecimal.encode(all)) == all)
        #expect(Hexadecimal.encode([0x0F, 0xA0]) == "0fa0")
        #expect(try Hexadecimal.decode("0FA0") == [0x0F, 0xA0])
        #expect(Hexadecimal.encode([]) == "")
    }

    @Test("what is not hexadecimal is refused", arguments: ["0", "0g", "é0", " 00", "00 ", "0x00"])
    func notHexadecimal(text: String) {
        #expect(throws: CryptoError.malformedText("hexadecimal")) { try Hexadecimal.decode(text) }
    }

    // RFC 4648, section 10.
    @Test(
        "base64 of the standard's examples",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func base64(plain: String, encoded: String) throws {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(try Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("base64url has no padding and other last digits")
    func base64url() throws {
        #expect(Base64.encode([0xFB, 0xFF], .url) == "-_8")
        #expect(try Base64.decode("-_8", .url) == [0xFB, 0xFF])
        #expect(throws: CryptoError.self) { try Base64.decode("+/8=", .url) }
    }

    @Test("what is not base64 is refused", arguments: ["Zg", "Zg=", "Z===", "Zg==\n", "Zh==", "é"])
    func notBase64(text: String) {
        #expect(throws: CryptoError.malformedText("base64")) { try Base64.decode(text) }
    }

    @Test("base32 goes there and back at every length")
    func base32() throws {
        for count in 0...40 {
            let bytes = Crypto.random(count)
            #expect(try Base32.decode(Base32.encode(bytes)) == bytes, "\(bytes)")
        }
        #expect(Base32.encode([0xFF, 0x00]) == "ZW00")
    }

    @Test("base32 as a person types it")
    func typedBase32() throws {
        let bytes = try Base32.decode("0011-ZZZZ")
        #expect(try Base32.decode("oOiL zzzz") == bytes)
    }

    @Test("what is not base32 is refused", arguments: ["U0", "0", "00!", "0Z", "é"])
    func notBase32(text: String) {
        #expect(throws: CryptoError.malformedText("base32")) { try Base32.decode(text) }
    }
}
