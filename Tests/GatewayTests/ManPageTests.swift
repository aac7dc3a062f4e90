import Arguments
import Foundation
import Testing

@testable import Gateway

@Suite("walkdownd(8)")
struct ManPageTests {
    private func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent("man/walkdownd.8"), encoding: .utf8)
        return page.replacing("\\-", with: "-").replacing("\\fR", with: "")
            .replacing("\\fB", with: "").replacing("\\fI", with: "")
    }

    @Test("has every command with its options, and no other command")
    func commands() throws {
        let page = try page()
        let program = Walkdownd.program(FolderSource(words: [], environment: { _ in nil }))
        let heads = page.split(separator: "\n").filter { $0.hasPrefix(".B walkdownd ") }
        var known: Set<Substring> = []
        for (path, command) in program.allCommands where command.action != nil {
            // `import sites|assets|assignments` is one entry of the page.
            let words = path.joined(separator: " ")
            let head = heads.first { head in
                head.dropFirst(13).hasPrefix(words)
                    || path.count == 2 && head.dropFirst(13).hasPrefix(path[0] + " ")
                        && head.contains("|") && head.contains(path[1])
            }
            let found = try #require(head, "the page has no '\(words)'")
            known.insert(found)
            for option in command.options {
                #expect(found.contains("--\(option.name)"), "\(words) has no --\(option.name)")
            }
        }
        #expect(Set(heads) == known)
        for option in program.globalOptions { #expect(page.contains("--\(option.name)")) }
    }
}
