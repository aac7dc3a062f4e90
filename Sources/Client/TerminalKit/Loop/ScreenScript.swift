/// Keys and other things that happen to a screen, from a file: a report of a fault that can be played again.
///
/// One step a line: names of keys as the help shows them, separated by blanks, or one of the words below
/// with the rest of the line. Empty lines and those that begin with `#` say nothing.
package struct ScreenScript: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        case key(KeyEvent)
        /// Typed key by key.
        case text(String)
        case paste(String)
        /// By a barcode scanner, as one event.
        case scan(String)
        case resize(Size)
        /// Writes what is on the screen into a file.
        case save(String)
        /// Goes on once the screen shows this text.
        case wait(String)
    }

    package struct Trouble: Error, Equatable, Sendable {
        package let line: Int
        package let words: String
    }

    package let steps: [(line: Int, step: Step)]

    package static func == (left: ScreenScript, right: ScreenScript) -> Bool {
        left.steps.map(\.line) == right.steps.map(\.line)
            && left.steps.map(\.step) == right.steps.map(\.step)
    }

    /// - Throws: `Trouble` with the first line that means nothing.
    package init(_ text: String) throws(Trouble) {
        var steps: [(Int, Step)] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            for step in try Self.steps(of: String(line), number: index + 1) {
                steps.append((index + 1, step))
            }
        }
        self.steps = steps
    }

    private static func steps(of line: String, number: Int) throws(Trouble) -> [Step] {
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first, !first.hasPrefix("#") else { return [] }
        guard first.hasPrefix(":"), first.count > 1 else {
            var steps: [Step] = []
            for word in words {
                guard let key = KeyEvent(named: word) else {
                    throw Trouble(line: number, words: "'\(word)' is no key")
                }
                steps.append(.key(key))
            }
            return steps
        }
        let rest = line.drop { $0 == " " }.dropFirst(first.count).dropFirst()
        guard let make = verbs[first] else {
            throw Trouble(
                line: number,
                words: "'\(first)' is none of \(verbs.keys.sorted().joined(separator: " "))")
        }
        guard !rest.isEmpty, let step = make(String(rest)) else {
            throw Trouble(line: number, words: "'\(first)' needs something behind it")
        }
        return [step]
    }

    private static let verbs: [String: @Sendable (String) -> Step?] = [
        ":text": { .text($0) }, ":paste": { .paste($0) }, ":scan": { .scan($0) },
        ":save-screen": { .save($0) }, ":wait-for": { .wait($0) }, ":size": { size($0) },
    ]

    /// `80x24`
    @Sendable
    private static func size(_ text: String) -> Step? {
        let parts = text.split(separator: "x").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (1...1_000).contains($0) }) else { return nil }
        return .resize(Size(columns: parts[0], rows: parts[1]))
    }
}
