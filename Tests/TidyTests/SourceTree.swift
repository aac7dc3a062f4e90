internal import Foundation
import Testing

/// The checkout as the house rules see it: paths and texts, nothing compiled.
struct SourceTree {
    let root: URL

    init(testFile: StaticString = #filePath) {
        root = URL(fileURLWithPath: "\(testFile)")
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    func swiftFiles(under folder: String) -> [SourceFile] {
        files(under: folder).filter { $0.hasSuffix(".swift") }.map { path in
            SourceFile(path: path, text: text(of: path))
        }
    }

    func files(under folder: String) -> [String] {
        let start = root.appendingPathComponent(folder)
        guard let walk = FileManager.default.enumerator(atPath: start.path) else { return [] }
        return walk.compactMap { $0 as? String }.map { folder + "/" + $0 }.sorted()
    }

    func text(of path: String) -> String {
        let bytes = FileManager.default.contents(atPath: root.appendingPathComponent(path).path)
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    func topLevelNames() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path).sorted()
    }
}

/// One Swift file: its text as written, and the same lines with comments and string literals
/// blanked, so that a rule about code does not trip over words.
struct SourceFile: Sendable, CustomTestStringConvertible {
    let path: String
    let lines: [Substring]
    let codeLines: [Substring]

    var testDescription: String { path }

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        codeLines = Blanking(text).code
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { Substring($0) }
    }

    /// The module that a file belongs to: the folder below the layer, `Shared/Forms/A.swift`.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 2 && parts[0] == "Sources" ? String(parts[2]) : String(parts[1])
    }

    /// Line numbers (from 1) of code lines for which `condition` holds.
    func lineNumbers(where condition: (Substring) -> Bool) -> [Int] {
        codeLines.indices.filter { condition(codeLines[$0]) }.map { $0 + 1 }
    }

    var imports: [String] {
        codeLines.compactMap { line in
            let words = line.split(separator: " ")
            guard let at = words.firstIndex(of: "import"), at <= 2, at + 1 < words.count,
                words[..<at].allSatisfy({
                    ["internal", "package", "private"].contains($0) || $0.hasPrefix("@")
                })
            else { return nil }
            return String(words[at + 1])
        }
    }
}
