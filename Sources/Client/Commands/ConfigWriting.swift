internal import Arguments
internal import FieldApp
internal import Foundation
internal import TerminalKit
internal import Vault

/// Writing settings for a person who may write them too: what is not meant stays as it is, comments and all.
extension ConfigFile {
    /// - Parameters:
    ///   - undone: what is told to have been left, as `Nothing was bound`.
    ///   - change: gets the lines of the file, each without its end.
    static func rewrite(
        in home: Home, undone: String, _ change: (inout [String]) -> Void
    ) throws(Failure) {
        guard FileManager.default.fileExists(atPath: home.directory) else {
            throw Failure(
                .locked, "\(home.directory) is no home yet", advice: "'walkdown enroll' makes it.")
        }
        let path = home.directory + "/" + name
        let before: String
        do throws(Unreadable) {
            before = try text(at: path) ?? ""
        } catch {
            throw Failure(.failed, error.reason, advice: "\(undone): \(error.advice).")
        }
        var lines = before.split(separator: "\n", omittingEmptySubsequences: false).map {
            String($0)
        }
        if lines.last == "" { lines.removeLast() }
        change(&lines)
        try write(lines.map { $0 + "\n" }.joined(), over: before, at: path, undone)
    }

    private static func write(
        _ text: String, over before: String, at path: String, _ undone: String
    ) throws(Failure) {
        guard text != before else { return }
        guard text.utf8.count <= mostBytes else {
            throw Failure(
                .failed, "\(path) is as long as it may be",
                advice: "\(undone): take out what no setting needs.")
        }
        let known = ConfigFile(before).troubles.map(\.sentence)
        if let trouble = ConfigFile(text).troubles.first(where: { !known.contains($0.sentence) }) {
            throw Failure(.validation, trouble.sentence, advice: "\(undone).")
        }
        do throws(VaultError) {
            try SettingsFile.replace(path, with: text)
        } catch {
            guard case .system(let operation, let file, let code) = error else {
                throw Failure(.failed, "\(path) cannot be written", advice: "\(undone).")
            }
            throw Failure(
                .failed, "cannot \(operation) \(file): \(String(cString: strerror(code)))",
                advice: "\(undone). Lines can be written into \(path) by hand.")
        }
    }

    /// What stands before the `=` of a line; nil for a comment, or a line that has none.
    static func name(ofLine line: String) -> String? {
        let words = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !words.hasPrefix("#"), let sign = words.firstIndex(of: "=") else { return nil }
        return words[..<sign].split(separator: " ").joined(separator: " ")
    }
}

/// What is set on the screen goes into the config file of the home.
struct ConfigKeeper: SettingsKeeper {
    let home: Home

    func keep(_ setting: ScreenSetting, _ value: String?) throws(StoreRefusal) {
        try rewrite { lines in
            let place = lines.lastIndex { ConfigFile.name(ofLine: $0) == setting.rawValue }
            let line = value.map { "\(setting.rawValue) = \($0)" }
            if let place, let line { lines[place] = line }
            if place == nil, let line { lines.append(line) }
            if value == nil {
                lines.removeAll { ConfigFile.name(ofLine: $0) == setting.rawValue }
            }
        }
    }

    func keep(_ key: KeyEvent, for command: FieldApp.Command) throws(StoreRefusal) {
        let line = "bind \(command.rawValue) = \(key.name)"
        try rewrite { lines in
            if !lines.contains(line) { lines.append(line) }
        }
    }

    func forgetKeys(of command: FieldApp.Command) throws(StoreRefusal) {
        try rewrite { lines in
            lines.removeAll { ConfigFile.name(ofLine: $0) == "bind \(command.rawValue)" }
        }
    }

    private func rewrite(_ change: (inout [String]) -> Void) throws(StoreRefusal) {
        do throws(Failure) {
            try ConfigFile.rewrite(in: home, undone: "Nothing was written", change)
        } catch {
            let advice = error.advice.map { ". " + $0 } ?? ""
            throw StoreRefusal(.other, error.sentence + advice)
        }
    }
}
