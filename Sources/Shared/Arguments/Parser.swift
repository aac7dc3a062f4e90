/// What a command line asks for.
package enum Request: Sendable {
    case help(String)
    case version(String)
    case run(Command, Invocation)
}

extension Program {
    /// Reads the words after the program's name. Pure: it touches neither files nor the environment,
    /// so `--help` and `--version` need no home.
    package func parse(_ words: [String]) throws(UsageError) -> Request {
        var parser = Parser(program: self)
        var rest = words[...]
        while let word = rest.popFirst() {
            try parser.take(word, rest: &rest)
        }
        return try parser.finish()
    }
}

private struct Parser {
    let program: Program
    var path: [Command]
    var values: [String: [String]] = [:]
    var operands: [String] = []
    var optionsEnded = false

    init(program: Program) {
        self.program = program
        path = [program.root]
    }

    var command: Command { path[path.count - 1] }
    var commandNames: [String] { path.dropFirst().map(\.name) }

    mutating func take(_ word: String, rest: inout ArraySlice<String>) throws(UsageError) {
        if optionsEnded || !Parser.looksLikeOption(word) {
            try takeOperand(word)
        } else if word == "--" {
            optionsEnded = true
        } else {
            try takeOption(word, rest: &rest)
        }
    }

    /// `-` is the usual name of standard input, and `-4` is a number: no option begins with a digit.
    static func looksLikeOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word != "-" else { return false }
        return word.dropFirst().first?.isNumber != true
    }

    private mutating func takeOperand(_ word: String) throws(UsageError) {
        guard !command.subcommands.isEmpty, operands.isEmpty else {
            operands.append(word)
            return
        }
        guard let child = command.subcommand(named: word) else {
            guard command.positionals.isEmpty else {
                operands.append(word)
                return
            }
            let known = command.subcommands.map(\.name)
            throw UsageError.unknownCommand(
                word, in: commandNames, suggestion: nearest(to: word, among: known))
        }
        path.append(child)
    }

    private mutating func takeOption(
        _ word: String, rest: inout ArraySlice<String>
    ) throws(UsageError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = try option(spelled: String(parts[0]))
        let attached = parts.count == 2 ? String(parts[1]) : nil
        guard let placeholder = option.placeholder else {
            guard attached == nil else { throw UsageError.unexpectedValue(option: option.name) }
            values[option.name] = [""]
            return
        }
        guard let value = attached ?? Parser.value(from: &rest) else {
            throw UsageError.missingValue(option: option.name, placeholder: placeholder)
        }
        guard option.allowed.isEmpty || option.allowed.contains(value) else {
            throw UsageError.valueNotAllowed(
                option: option.name, value: value, allowed: option.allowed)
        }
        if option.isRepeatable {
            values[option.name, default: []].append(value)
        } else {
            values[option.name] = [value]
        }
    }

    /// A forgotten value must not swallow the next option: one that begins with two dashes is
    /// written `--x=--y`.
    private static func value(from rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first, !next.hasPrefix("--") else { return nil }
        return rest.popFirst()
    }

    private func option(spelled word: String) throws(UsageError) -> Option {
        let known = program.globalOptions + command.options
        let found = known.first { option in
            word == "--" + option.name || option.letter.map { word == "-\($0)" } == true
        }
        if let found { return found }
        let names = known.map { "--" + $0.name }
        throw UsageError.unknownOption(
            word, command: commandNames, suggestion: nearest(to: word, among: names))
    }

    func finish() throws(UsageError) -> Request {
        if values[Program.help.name] != nil {
            return .help(program.help(for: path))
        }
        if values[Program.version.name] != nil {
            return .version("\(program.name) \(program.version)\n")
        }
        guard command.action != nil else {
            throw UsageError.missingCommand(
                in: commandNames, known: command.subcommands.map(\.name))
        }
        let options = program.globalOptions + command.options
        try refuseStrayOptions(among: options)
        let declared = options.map { "--" + $0.name } + command.positionals.map(\.name)
        let invocation = Invocation(
            path: commandNames, declared: Set(declared), options: values,
            operands: try bindOperands())
        return .run(command, invocation)
    }

    /// An option of the bare program, written before a sub-command that does not know it.
    private func refuseStrayOptions(among known: [Option]) throws(UsageError) {
        let names = Set(known.map(\.name))
        if let stray = values.keys.sorted().first(where: { !names.contains($0) }) {
            throw UsageError.optionElsewhere("--" + stray, command: commandNames)
        }
    }

    private func bindOperands() throws(UsageError) -> [String: [String]] {
        var bound: [String: [String]] = [:]
        var rest = operands[...]
        for positional in command.positionals {
            let taken = positional.isRepeatable ? rest : rest.prefix(1)
            if taken.isEmpty && positional.isRequired {
                throw UsageError.missingOperand(positional.name, command: commandNames)
            }
            bound[positional.name] = Array(taken)
            rest = rest.dropFirst(taken.count)
        }
        if let extra = rest.first {
            throw UsageError.extraOperand(extra, command: commandNames)
        }
        return bound
    }
}
