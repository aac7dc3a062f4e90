/// What a command line said: the parser's result, and the only thing that a command reads.
/// Asking for an option or operand that the command never declared is a programmer's error.
package struct Invocation: Sendable, Equatable {
    /// The names that led to the command, without the program's name.
    package let path: [String]
    let declared: Set<String>
    let options: [String: [String]]
    let operands: [String: [String]]

    /// Whether the option stands on the line.
    package func has(_ option: String) -> Bool {
        values(option) != []
    }

    /// The option's value; the last one where it stands several times.
    package func value(_ option: String) -> String? {
        values(option).last
    }

    /// All values of a repeatable option, in the order of the line.
    package func values(_ option: String) -> [String] {
        precondition(declared.contains("--" + option), "--\(option) was never declared")
        return options[option] ?? []
    }

    /// A required operand.
    package func operand(_ name: String) -> String {
        guard let first = operands(name).first else {
            preconditionFailure("\(name) is not a required operand")
        }
        return first
    }

    package func optionalOperand(_ name: String) -> String? {
        operands(name).first
    }

    package func operands(_ name: String) -> [String] {
        precondition(declared.contains(name), "\(name) was never declared")
        return operands[name] ?? []
    }
}
