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
        let options = options(at: place).flatMap(zshOption).map { "        \($0) \\" }
        var lines = ["\(name(place.path))() {"]
        if place.subcommands.isEmpty {
            lines.append("    _arguments \\")
            lines += options
            lines.append(place.takesFiles ? "        '*:file:_files'" : "        '*: :'")
        } else {
            lines += zshGroup(place, options)
        }
        lines.append("}")
        return lines
    }

    /// The body of a function whose next word is a command.
    private func zshGroup(_ place: Place, _ options: [String]) -> [String] {
        var lines = [
            "    local context state state_descr line", "    typeset -A opt_args",
            "    local -a commands=(",
        ]
        for (name, summary) in place.subcommands {
            lines.append("        " + shellQuoted("\(escaped(name)):\(summary)"))
        }
        lines.append("    )")
        lines.append("    _arguments -C \\")
        lines += options
        lines.append("        '1: :->command' \\")
        lines.append("        '*:: :->rest'")
        lines.append("    case $state in")
        lines.append("    command) _describe -t commands command commands ;;")
        lines.append("    rest)")
        lines.append("        case $line[1] in")
        for (subcommand, _) in place.subcommands {
            let function = name(place.path + [subcommand])
            lines.append("        \(subcommand)) \(function) ;;")
        }
        lines.append("        esac")
        lines.append("        ;;")
        lines.append("    esac")
        return lines
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
