/// Why a command did not do what was asked, ready for a person: the exit code, one clear sentence,
/// and what to do about it.
package struct Failure: Error, Equatable {
    package let exitCode: ExitCode
    package let sentence: String
    package let advice: String?

    package init(_ exitCode: ExitCode, _ sentence: String, advice: String? = nil) {
        self.exitCode = exitCode
        self.sentence = sentence
        self.advice = advice
    }
}

/// The one place that turns errors into words. Errors carry facts; each module's words stand in a
/// translation that the program hands in, and those of this module stand here.
package struct Renderer: Sendable {
    /// Says a module's error in words; nil when the error is not of that module.
    package typealias Translation = @Sendable (any Error) -> Failure?

    package let program: String
    let translations: [Translation]
    /// Makes the JSON document of a failure, for a program that was asked for `--json`; nil where
    /// the program sees to that itself.
    let document: (@Sendable (Failure) -> [UInt8])?

    package init(
        program: String, translations: [Translation] = [],
        document: (@Sendable (Failure) -> [UInt8])? = nil
    ) {
        self.program = program
        self.translations = translations
        self.document = document
    }

    package func failure(for error: any Error) -> Failure {
        if let failure = error as? Failure { return failure }
        if let usage = error as? UsageError { return words(for: usage) }
        if let output = error as? OutputError { return words(for: output) }
        for translate in translations {
            if let failure = translate(error) { return failure }
        }
        return Failure(.failed, "something unforeseen happened: \(error)")
    }

    /// The text for standard error, without control characters that an argument may have carried.
    package func text(of failure: Failure) -> String {
        let sentence = "\(program): " + terminalSafe(failure.sentence) + "\n"
        guard let advice = failure.advice else { return sentence }
        return sentence + terminalSafe(advice, keepingLines: true) + "\n"
    }
}

extension Renderer {
    private func words(for error: UsageError) -> Failure {
        switch error {
        case .unknownCommand(let name, let group, let suggestion):
            Failure(
                .usage, "there is no command '\(line(group, name))'",
                advice: advice(suggestion.map { line(group, $0) }, help: group))
        case .unknownOption(let option, let command, let suggestion):
            Failure(
                .usage, "there is no option '\(option)'" + place(command),
                advice: advice(suggestion, help: command))
        case .optionElsewhere(let option, let command):
            Failure(
                .usage, "'\(option)' is no option" + place(command),
                advice: advice(nil, help: command))
        case .missingValue(let option, let placeholder):
            Failure(
                .usage, "'--\(option)' needs a value",
                advice: "Write --\(option) \(placeholder) or --\(option)=\(placeholder).")
        case .unexpectedValue(let option):
            Failure(.usage, "'--\(option)' takes no value")
        case .valueNotAllowed(let option, let value, let allowed):
            Failure(
                .usage, "'\(value)' is no value of '--\(option)'",
                advice: "It can be " + allowed.joined(separator: ", ") + ".")
        case .missingCommand(let group, let known):
            Failure(
                .usage, "which command" + (group.isEmpty ? "" : " of '\(line(group))'") + "?",
                advice: "There is " + known.joined(separator: ", ") + ".")
        case .missingOperand(let name, let command):
            Failure(
                .usage, "\(name) is missing" + place(command), advice: advice(nil, help: command))
        case .extraOperand(let word, let command):
            Failure(
                .usage, "'\(word)' is one argument too many" + place(command),
                advice: advice(nil, help: command))
        case .notUTF8(let position):
            Failure(
                .usage, "word \(position) of the command line is not UTF-8",
                advice: "Nothing was changed.")
        }
    }

    private func words(for error: OutputError) -> Failure {
        Failure(.failed, "standard output could not be written: \(error.reason)")
    }

    private func line(_ group: [String], _ name: String? = nil) -> String {
        (group + [name].compactMap { $0 }).joined(separator: " ")
    }

    private func place(_ command: [String]) -> String {
        command.isEmpty ? "" : " of '\(line(command))'"
    }

    private func advice(_ suggestion: String?, help command: [String]) -> String {
        let help = line([program] + command, "--help")
        let pointer = "'\(help)' says what there is."
        return suggestion.map { "Did you mean '\($0)'? " + pointer } ?? pointer
    }
}
