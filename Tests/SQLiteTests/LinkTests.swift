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
}
