import Foundation
import SQLite
import Testing

@Suite("The library that a program links")
struct LinkTests {
    @Test("This run uses the library that WALKDOWN_TEST_SQLITE names")
    func testLibrary() {
        let wanted = ProcessInfo.processInfo.environment["WALKDOWN_TEST_SQLITE"] ?? "sqlcipher"
        #expect((cipher != nil) == (wanted == "sqlcipher"), "cipher_version: \(cipher ?? "none")")
    }

    @Test(
        "Each program needs exactly one of the two libraries",
        arguments: [
            ("walkdown", "libsqlcipher.so", "libsqlite3.so"),
            ("walkdownd", "libsqlite3.so", "libsqlcipher.so"),
            ("walkdown-bench", "libsqlcipher.so", "libsqlite3.so"),
        ])
    func programs(program: String, wanted: String, other: String) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: tests).deletingLastPathComponent()
        // The dynamic section names what the loader needs by its file name, in clear.
        let binary = try Data(
            contentsOf: folder.appendingPathComponent(program), options: .mappedIfSafe)
        #expect(binary.range(of: Data(wanted.utf8)) != nil)
        #expect(binary.range(of: Data(other.utf8)) == nil)
    }
}
