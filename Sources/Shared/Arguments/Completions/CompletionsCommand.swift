extension Command {
    /// `completions SHELL`: prints what the shell reads; both programs have it.
    /// - Parameter program: the whole program, which this command is a part of.
    package static func completions(of program: @escaping @Sendable () -> Program) -> Command {
        let shells = CompletingShell.allCases.map(\.rawValue)
        return Command(
            "completions", summary: "Print what a shell needs to complete command lines.",
            discussion: "For bash: put it where bash-completion looks, or 'source' it. For zsh: a "
                + "file of the program's name after '_' in $fpath. For fish: a file in "
                + "~/.config/fish/completions.",
            positionals: [Positional("SHELL", help: "One of \(shells.joined(separator: ", ")).")]
        ) { invocation, console in
            guard !invocation.declared.contains("--json") || !invocation.has("json") else {
                throw Failure(.usage, "completions are for a shell; there is no JSON of them")
            }
            let name = invocation.operand("SHELL")
            guard let shell = CompletingShell(rawValue: name) else {
                throw Failure(
                    .usage, "there are no completions for '\(name)'",
                    advice: "Give one of \(shells.joined(separator: ", ")).")
            }
            try console.write(program().completions(for: shell))
            return .done
        }
    }
}
