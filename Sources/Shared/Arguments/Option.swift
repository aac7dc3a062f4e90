/// One option of a command, as data: the parser, the help and the check of the man page all read it.
package struct Option: Sendable, Equatable {
    /// The long name without its dashes, such as `pin-file`.
    package let name: String
    /// The one-letter form without its dash, where there is one.
    package let letter: Character?
    /// What stands for the value in the help, such as `FILE`; nil marks a flag without a value.
    package let placeholder: String?
    /// Whether each appearance adds a value. Otherwise the last appearance counts, so that an alias
    /// can be overruled on the command line.
    package let isRepeatable: Bool
    /// The only values that are accepted; empty accepts any.
    package let allowed: [String]
    package let help: String

    package init(
        _ name: String,
        letter: Character? = nil,
        value placeholder: String? = nil,
        isRepeatable: Bool = false,
        allowed: [String] = [],
        help: String
    ) {
        self.name = name
        self.letter = letter
        self.placeholder = placeholder ?? (allowed.isEmpty ? nil : allowed.joined(separator: "|"))
        self.isRepeatable = isRepeatable
        self.allowed = allowed
        self.help = help
    }

    package var takesValue: Bool { placeholder != nil }

    /// As it is written in the help: `-o, --output FILE`.
    package var synopsis: String {
        let long = "--" + name + (placeholder.map { " " + $0 } ?? "")
        return letter.map { "-\($0), " + long } ?? long
    }
}

/// One operand of a command: what stands on the line without a dash.
package struct Positional: Sendable, Equatable {
    /// As the help shows it, such as `ID` or `QUESTION=VALUE`.
    package let name: String
    package let isRequired: Bool
    /// Takes all remaining operands; only the last positional may be repeatable.
    package let isRepeatable: Bool
    package let help: String

    package init(
        _ name: String, isRequired: Bool = true, isRepeatable: Bool = false, help: String = ""
    ) {
        self.name = name
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.help = help
    }

    package var synopsis: String {
        let repeated = isRepeatable ? name + " ..." : name
        return isRequired ? repeated : "[" + repeated + "]"
    }
}
