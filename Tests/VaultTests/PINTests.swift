import Crypto
import Glibc
import TestSupport
import Testing
import Vault

@Suite("Reading a PIN")
struct PINTests {
    private func read(_ content: String, mode: mode_t = 0o600) throws -> PINReader.Source {
        let folder = try TemporaryFolder("pin")
        let path = folder.path + "/pin"
        let file = try #require(fopen(path, "w"))
        fputs(content, file)
        fclose(file)
        #expect(chmod(path, mode) == 0)
        return try PINReader.read(file: path)
    }

    @Test(
        "the first line counts, without CR and LF",
        arguments: ["246810", "246810\n", "246810\r\n", "246810\nsecond line\n"])
    func firstLine(content: String) throws {
        #expect(try read(content).pin == SecretBytes(text: "246810"))
    }

    @Test("blanks and other characters belong to the PIN")
    func verbatim() throws {
        #expect(try read(" pass wörd \n").pin == SecretBytes(text: " pass wörd "))
    }

    @Test("6 to 128 bytes are taken, others are not")
    func length() throws {
        #expect(throws: VaultError.unusablePIN(.tooShort)) { try read("") }
        #expect(throws: VaultError.unusablePIN(.tooShort)) { try read("12345\n") }
        #expect(throws: VaultError.unusablePIN(.tooShort)) { try read("\n246810\n") }
        #expect(try read(String(repeating: "x", count: 128) + "\r\n").pin.count == 128)
        #expect(throws: VaultError.unusablePIN(.tooLong)) {
            try read(String(repeating: "x", count: 129))
        }
        #expect(throws: VaultError.unusablePIN(.tooLong)) {
            try read(String(repeating: "x", count: 100_000))
        }
    }

    @Test("a file that others may read is reported")
    func looseMode() throws {
        #expect(try read("246810\n", mode: 0o644).isReadableByOthers)
        #expect(try !read("246810\n", mode: 0o600).isReadableByOthers)
    }

    @Test("a missing file and a folder are errors with the path")
    func missing() {
        #expect(throws: VaultError.system(operation: "open", path: "/no/pin", code: ENOENT)) {
            try PINReader.read(file: "/no/pin")
        }
        #expect(throws: VaultError.self) { try PINReader.read(file: "/") }
    }

    @Test("nothing behind the line's end is taken from a pipe")
    func pipe() throws {
        var ends: [Int32] = [0, 0]
        #expect(Glibc.pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = "246810\nfor the next\n"
        #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
        close(ends[1])
        #expect(try PINReader.readLine(ends[0]) == SecretBytes(text: "246810"))
        var rest = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(ends[0], &rest, rest.count)
        #expect(String(decoding: rest[..<max(0, count)], as: UTF8.self) == "for the next\n")
    }
}
