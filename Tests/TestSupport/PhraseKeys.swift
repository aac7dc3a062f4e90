import Foundation

/// The sentences of the screen as the sources have them: what `say` is called with. A key stands as in a file
/// of translations, with %1 and %2 where something is put in.
package enum PhraseKeys {
    /// - Returns: keys, each with a file that has it.
    package static func inSources() throws -> [String: String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        var found: [String: String] = [:]
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("import Phrases") else { continue }
            for key in keys(in: text) { found[key] = file.lastPathComponent }
        }
        return found
    }

    package static func keys(in source: String) -> [String] {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
        var scanner = SourceScanner(code)
        return scanner.literals(after: "say(")
    }
}

/// Reads string literals out of Swift, with what is put in them left out.
private struct SourceScanner {
    private let text: [Character]
    private var place = 0

    init(_ text: String) { self.text = Array(text) }

    mutating func literals(after call: String) -> [String] {
        let mark = Array(call)
        var found: [String] = []
        while place < text.count {
            guard stands(mark), place == 0 || !isPart(text[place - 1]) else {
                place += 1
                continue
            }
            place += mark.count
            let start = place
            while place < text.count, text[place].isWhitespace { place += 1 }
            if place < text.count, text[place] == "\"" {
                found.append(literal())
                // What is put in may say something itself.
                place = start
            }
        }
        return found
    }

    private func isPart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "."
    }

    private func stands(_ mark: [Character]) -> Bool {
        place + mark.count <= text.count && Array(text[place..<place + mark.count]) == mark
    }

    private mutating func literal() -> String {
        let quote: [Character] = stands(["\"", "\"", "\""]) ? ["\"", "\"", "\""] : ["\""]
        place += quote.count
        var body = ""
        var count = 0
        while place < text.count, !stands(quote) {
            if stands(["\\", "("]) {
                count += 1
                body += "%\(count)"
                place += 2
                skipInterpolation()
            } else if text[place] == "\\", text[place + 1] != "\n" {
                body.append(text[place + 1] == "n" ? "\n" : text[place + 1])
                place += 2
            } else {
                body.append(text[place])
                place += 1
            }
        }
        place += quote.count
        return quote.count == 3 ? Self.unfolded(body) : body
    }

    private mutating func skipInterpolation() {
        var depth = 1
        while place < text.count, depth > 0 {
            switch text[place] {
            case "\"":
                _ = literal()
                continue
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            place += 1
        }
    }

    /// A literal of several lines without its indentation, and without the ends of lines that are taken back.
    private static func unfolded(_ body: String) -> String {
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        let indentation = lines.last?.count ?? 0
        var text = ""
        for (index, line) in lines.dropLast().enumerated() {
            let own = line.dropFirst(indentation)
            let isLast = index == lines.count - 2
            text += own.hasSuffix("\\") ? own.dropLast() : own + (isLast ? "" : "\n")
        }
        return text
    }
}
