extension CompletionTable {
    var fish: String {
        let options = valued.flatMap(\.spellings).unique.joined(separator: " ")
        let keys = places.dropFirst().map { fishQuoted($0.key) }.joined(separator: " ")
        var lines = [
            """
            # Completions of \(program) for fish. Made by '\(program) completions fish'.
            function __\(program)_place
                set -l place ''
                set -l skip ''
                for word in (commandline -opc)[2..-1]
                    if test -n "$skip"
                        set skip ''
                        continue
                    end
                    contains -- $word \(options); and set skip 1
                    contains -- "$place $word" \(keys); and set place "$place $word"
                end
                test "$place" = "$argv[1]"
            end
            complete -c \(program) -f
            """
        ]
        lines += globals.map { fishOption($0, at: nil) }
        for place in places {
            let here = "complete -c \(program) \(condition(place))"
            for (name, summary) in place.subcommands {
                lines.append("\(here) -a \(name) -d \(fishQuoted(summary))")
            }
            lines += place.options.map { fishOption($0, at: place) }
            if place.takesFiles { lines.append("\(here) -F") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func condition(_ place: Place) -> String {
        "-n \(fishQuoted("__\(program)_place \(fishQuoted(place.key))"))"
    }

    private func fishOption(_ option: Option, at place: Place?) -> String {
        var words = ["complete -c \(program)"]
        if let place { words.append(condition(place)) }
        if let letter = option.letter { words.append("-s \(letter)") }
        words.append("-l \(option.name)")
        switch option.completedValue {
        case .oneOf(let values):
            words.append("-x -a \(fishQuoted(values.joined(separator: " ")))")
        case .file: words.append("-r -F")
        case .folder: words.append("-x -a '(__fish_complete_directories)'")
        case .other: if option.takesValue { words.append("-x") }
        }
        return (words + ["-d \(fishQuoted(option.help))"]).joined(separator: " ")
    }

    /// In fish a backslash quotes within single quotes too.
    private func fishQuoted(_ text: String) -> String {
        var quoted = ""
        for character in text {
            if character == "'" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return "'\(quoted)'"
    }
}
