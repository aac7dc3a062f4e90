/// What is wrong with a command line: facts only. `Renderer` has the words.
package enum UsageError: Error, Equatable {
    case unknownCommand(String, in: [String], suggestion: String?)
    case unknownOption(String, command: [String], suggestion: String?)
    case optionElsewhere(String, command: [String])
    case missingValue(option: String, placeholder: String)
    case unexpectedValue(option: String)
    case valueNotAllowed(option: String, value: String, allowed: [String])
    case missingCommand(in: [String], known: [String])
    case missingOperand(String, command: [String])
    case extraOperand(String, command: [String])
    /// Counted from 1, the program's name left out.
    case notUTF8(position: Int)
}
