extension CompletionTable {
    /// For bash 4 and later, without the package bash-completion.
    var bash: String {
        let function = "_\(program)"
        return """
            # Completions of \(program) for bash. Made by '\(program) completions bash'.
            \(function)() {
                local word before='' place='' skip='' i
                local current=${COMP_WORDS[COMP_CWORD]}
                COMPREPLY=()
                for ((i = 1; i < COMP_CWORD; i++)); do
                    word=${COMP_WORDS[i]}
                    before=$word
                    if [[ -n $skip ]]; then
                        skip=''
                        continue
                    fi
                    case $word in
                        \(valued.flatMap(\.spellings).unique.joined(separator: " | "))) skip=1 ;;
                    esac
                    case "$place $word" in
            \(bashPlaces)
                    esac
                done
                # bash breaks --option=VALUE into three words.
                if [[ $current == = ]]; then
                    current=''
                elif [[ $before == = ]]; then
                    before=${COMP_WORDS[COMP_CWORD - 2]}
                    skip=1
                fi
                if [[ -n $skip ]]; then
                    case "$place $before" in
            \(bashValues)
                    esac
                    return
                fi
                case $place in
            \(bashWords)
                esac
            }
            complete -F \(function) \(program)

            """
    }

    private var bashPlaces: String {
        let keys = places.dropFirst().map { shellQuoted($0.key) }
        return "            \(keys.joined(separator: " | "))) place=\"$place $word\" ;;"
    }

    /// What may follow an option: at its own command, and for those of everywhere at any.
    private var bashValues: String {
        let own = places.flatMap { place in
            place.options.filter(\.takesValue).map { option in
                bashValue(option, option.spellings.map { shellQuoted("\(place.key) \($0)") })
            }
        }
        let common = globals.filter(\.takesValue).map { option in
            bashValue(option, option.spellings.map { "*' \($0)'" })
        }
        return (own + common).joined(separator: "\n")
    }

    private func bashValue(_ option: Option, _ patterns: [String]) -> String {
        let pattern = "            " + patterns.joined(separator: " | ")
        return switch option.completedValue {
        case .oneOf(let words):
            "\(pattern)) COMPREPLY=($(compgen -W \(shellQuoted(words.joined(separator: " "))) -- \"$current\")) ;;"
        case .file: "\(pattern)) mapfile -t COMPREPLY < <(compgen -f -- \"$current\") ;;"
        case .folder: "\(pattern)) mapfile -t COMPREPLY < <(compgen -d -- \"$current\") ;;"
        case .other: "\(pattern)) ;;"
        }
    }

    private var bashWords: String {
        places.map { place in
            let options = options(at: place).flatMap(\.spellings).joined(separator: " ")
            let names = place.subcommands.map(\.name).joined(separator: " ")
            let files =
                place.takesFiles
                ? "mapfile -t COMPREPLY < <(compgen -f -- \"$current\")"
                : "COMPREPLY=($(compgen -W \(shellQuoted(names)) -- \"$current\"))"
            return """
                        \(shellQuoted(place.key)))
                            if [[ $current == -* ]]; then
                                COMPREPLY=($(compgen -W \(shellQuoted(options)) -- "$current"))
                            else
                                \(files)
                            fi
                            ;;
                """
        }.joined(separator: "\n")
    }
}

extension Array where Element: Hashable {
    /// Each once, where it came first.
    var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
