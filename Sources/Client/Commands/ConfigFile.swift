internal import FieldApp
internal import Foundation
internal import TerminalKit

/// What a person has set for the screen, in a file of lines. A line that means nothing is told and left out;
/// the others hold.
struct ConfigFile: Equatable {
    var theme: Theme.Name?
    var mouse: Bool?
    var tier: Tier?
    var language: ScreenLanguage?
    var keys = OwnKeys()
    /// Keys of this terminal alone, by what each sends.
    private(set) var learned: [[UInt8]: KeyEvent] = [:]
    /// Function keys beyond those that every terminal has, which lines bind.
    private(set) var expected: Set<KeyEvent> = []
    /// What is wrong, by its lines.
    private(set) var troubles: [Trouble] = []

    struct Trouble: Equatable {
        /// Nil where it is of the whole file.
        var line: Int?
        /// What it is, and what to do about it.
        var sentence: String

        /// - Parameter note: what is said before the sentence, so that a small screen does not cut it off.
        func told(_ note: String = "") -> String {
            guard let line else { return note.isEmpty ? sentence : "\(sentence) \(note)" }
            return "\(ConfigFile.name), line \(line)\(note.isEmpty ? "" : " " + note): \(sentence)"
        }
    }

    /// Words before `=`, for reading and for the manual.
    enum Setting: String, CaseIterable {
        case theme, mouse, characters, language
    }

    /// The name of the file in the home.
    static let name = "config"

    init(_ text: String) {
        // An editor of another system ends its lines, and begins the file, in its own way.
        let plain = text.drop { $0 == "\u{FEFF}" }
        let lines = plain.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let spoken = lines.enumerated().map { index, line in
            (number: index + 1, words: line.trimmingCharacters(in: .whitespaces))
        }.filter { !$0.words.isEmpty && !$0.words.hasPrefix("#") }
        // Which keys can be bound hangs on what is learned, wherever that stands.
        let isLearning = { (words: String) in words.hasPrefix(Self.learning) }
        let ordered =
            spoken.filter { isLearning($0.words) } + spoken.filter { !isLearning($0.words) }
        let found = ordered.compactMap { line in
            read(line.words).map { (number: line.number, sentence: $0) }
        }
        troubles = found.sorted { $0.number < $1.number }.map {
            Trouble(line: $0.number, sentence: $0.sentence)
        }
    }

    /// Before the name of a key that is learned, and before an action that a key is bound to.
    private static let (learning, binding) = ("key ", "bind ")

    /// - Returns: an empty one where there is no file.
    static func read(of home: String) -> ConfigFile {
        do throws(Unreadable) {
            return ConfigFile(try text(at: home + "/" + name) ?? "")
        } catch {
            var config = ConfigFile("")
            config.troubles = [
                Trouble(sentence: "\(error.reason), so nothing of it holds; \(error.advice)")
            ]
            return config
        }
    }

    /// - Returns: what is wrong with the line.
    private mutating func read(_ line: String) -> String? {
        guard let sign = line.firstIndex(of: "=") else {
            return "a line has a name, = and a value; write it so, or # before a remark"
        }
        let name = line[..<sign].trimmingCharacters(in: .whitespaces)
        let value = line[line.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        let rest = { (word: String) in
            String(name.dropFirst(word.count)).trimmingCharacters(in: .whitespaces)
        }
        if name.hasPrefix(Self.binding) { return bind(rest(Self.binding), to: value) }
        if name.hasPrefix(Self.learning) { return learn(rest(Self.learning), value) }
        switch Setting(rawValue: name) {
        case .theme:
            return set(
                name, to: value, \.theme, Theme.Name(rawValue: value),
                among: Theme.Name.allCases.map(\.rawValue))
        case .mouse:
            return set(
                name, to: value, \.mouse, ["on": true, "off": false][value], among: ["on", "off"])
        case .characters:
            return set(
                name, to: value, \.tier, ["ascii": Tier.ascii, "utf8": .utf8][value],
                among: ["ascii", "utf8"])
        case .language:
            return set(
                name, to: value, \.language, ScreenLanguage(rawValue: value),
                among: ScreenLanguage.allCases.map(\.rawValue))
        case nil:
            let names = Setting.allCases.map(\.rawValue).joined(separator: ", ")
            return "\(Self.quoted(name)) is no setting; write one of \(names), bind ACTION,"
                + " key NAME"
        }
    }

    private mutating func set<Value>(
        _ name: String, to word: String, _ path: WritableKeyPath<ConfigFile, Value?>,
        _ value: Value?, among words: [String]
    ) -> String? {
        guard let value else {
            return "\(Self.quoted(word)) is no value of \(name); write one of "
                + words.joined(separator: ", ")
        }
        self[keyPath: path] = value
        return nil
    }

    private mutating func learn(_ name: String, _ bytes: String) -> String? {
        guard let key = KeyEvent(named: name), case .function = key.key else {
            return "a key that is learned is called F1 to F24, not \(Self.quoted(name));"
                + " give it one of these names"
        }
        let words = bytes.split(separator: " ").map {
            $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil
        }
        let sequence = words.compactMap(\.self)
        guard !sequence.isEmpty, sequence.count == words.count else {
            return "after = stand the bytes of the key, as '1b 5b 39 39 7e'; write those that"
                + " 'walkdown keys' shows for it"
        }
        guard learned[sequence] == nil else {
            return "another line learns these bytes; take one of the two out"
        }
        var trace = KeyTrace()
        let entries = trace.feed(sequence, at: 0)
        guard entries.count == 1, entries[0].bytes == sequence, entries[0].isStranger else {
            return Self.whyNotLearned(entries, sequence)
        }
        learned[sequence] = key
        return nil
    }

    private static func whyNotLearned(
        _ entries: [KeyTrace.Entry], _ sequence: [UInt8]
    ) -> String {
        guard let first = entries.first, entries.flatMap(\.bytes) == sequence else {
            return "these bytes are no whole sequence; write all that 'walkdown keys' shows for the"
                + " key"
        }
        guard entries.count == 1 else {
            return "these bytes are \(entries.count) keys; write those of one"
        }
        return first.events.isEmpty
            ? "these bytes are no sequence that a key sends; take the line out"
            : "these bytes are \(first.name) in every terminal; take the line out"
    }

    private mutating func bind(_ action: String, to name: String) -> String? {
        guard let command = Command(rawValue: action) else {
            return "\(Self.quoted(action)) is no action; write one that walkdown-config(5) names"
        }
        guard let key = KeyEvent(named: name) else {
            return "\(Self.quoted(name)) is no key; write a name that 'walkdown keys' shows"
        }
        if case .function(let number) = key.key, number > KeyEvent.lastKnown,
            key.modifiers.isEmpty
        {
            expected.insert(key)
            guard learned.values.contains(key) else {
                return "no line 'key \(key.name) = BYTES' says what \(key.name) sends;"
                    + " 'walkdown keys --bind \(action)' writes both lines"
            }
        }
        do throws(OwnKeys.Trouble) {
            try keys.bind(command, to: key)
            return nil
        } catch {
            return error.sentence(binding: action)
        }
    }
}
