extension CompletionTable {
    /// For zsh's own completion system; loaded from `$fpath` as `_walkdown`, or sourced.
    var zsh: String {
        var lines = [
            "#compdef \(program)",
            "# Completions of \(program) for zsh. Made by '\(program) completions zsh'.",
        ]
        for place in places { lines += zshFunction(place) }
        lines += [
            "if [ \"$funcstack[1]\" = \"_\(program)\" ]; then",
            "    _\(program) \"$@\"",
            "else",
            "    compdef _\(program) \(program)",
            "fi",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private func name(_ path: [String]) -> String {
        (["_" + program] + path).joined(separator: "_")
    }

    private func zshFunction(_ place: Place) -> [String] {
        let options = options(at: place).flatMap(zshOption)
        guard !place.subcommands.isEmpty else {
            let rest = place.takesFiles ? "'*:file:_files'" : "'*: :'"
            return [
                "\(name(place.path))() {", "    _arguments \\",
            ] + options.map { "        \($0) \\" } + ["        \(rest)", "}"]
        }
        let described = place.subcommands.map { subcommand in
            "        " + shellQuoted("\(escaped(subcommand.name)):\(subcommand.summary)")
        }
        let branches = place.subcommands.map { subcommand in
            "        \(subcommand.name)) \(name(place.path + [subcommand.name])) ;;"
        }
        return [
            "\(name(place.path))() {",
            "    local context state state_descr line",
            "    typeset -A opt_args",
            "    local -a commands=(",
        ] + described + [
            "    )",
            "    _arguments -C \\",
        ] + options.map { "        \($0) \\" } + [
            "        '1: :->command' \\",
            "        '*:: :->rest'",
            "    case $state in",
            "    command) _describe -t commands command commands ;;",
            "    rest)",
            "        case $line[1] in",
        ] + branches + ["        esac", "        ;;", "    esac", "}"]
    }

    /// One word for each spelling: `'--home=[...]:DIR:_files -/'`.
    private func zshOption(_ option: Option) -> [String] {
        let description = "[\(escaped(option.help))]"
        return option.spellings.map { spelling in
            guard option.takesValue else { return shellQuoted(spelling + description) }
            let action =
                switch option.completedValue {
                case .oneOf(let words): "(\(words.joined(separator: " ")))"
                case .file: "_files"
                case .folder: "_files -/"
                case .other: ""
                }
            let mark = spelling.hasPrefix("--") ? "=" : "+"
            let repeated = option.isRepeatable ? "*" : ""
            return shellQuoted(
                "\(repeated)\(spelling)\(mark)\(description):\(escaped(option.placeholder ?? "")):\(action)"
            )
        }
    }

    /// What `_arguments` reads as its own.
    private func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            if ":[]\\".contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }
}
