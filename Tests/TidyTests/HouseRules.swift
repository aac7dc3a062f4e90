import Testing

/// The rules of the house that a machine can hold us to. A rule that has to give way somewhere says
/// so here, by name, with the reason.
@Suite("House rules")
struct HouseRules {
    static let tree = SourceTree()
    static let sources = tree.swiftFiles(under: "Sources")
    // Not in the attribute itself: Swift 6.0.3 crashes on a closure among a test's arguments.
    static let pureSources = sources.filter {
        ["Forms", "Inspections", "Replication"].contains($0.module)
    }
    static let everything = sources + tree.swiftFiles(under: "Tests")

    @Test("the top of the repository holds what the user fixed, and dot-files")
    func topLevel() throws {
        let allowed: Set = ["Package.swift", "Sources", "Tests", "Resources", "README.md", "man"]
        let others = try Self.tree.topLevelNames().filter {
            !allowed.contains($0) && !$0.hasPrefix(".")
        }
        #expect(others == [])
    }

    @Test("no file grows past 400 lines", arguments: everything)
    func fileLength(file: SourceFile) {
        #expect(file.lines.count <= 400, "\(file.path): one concept a file")
    }

    @Test("no function grows past 70 lines", arguments: everything)
    func functionLength(file: SourceFile) {
        for function in FunctionSpan.all(in: file) where function.lines > 70 {
            Issue.record("\(file.path):\(function.start): \(function.name) has \(function.lines)")
        }
    }

    @Test("package access everywhere, public nowhere", arguments: sources)
    func access(file: SourceFile) {
        let found = file.lineNumbers { line in
            line.split(separator: " ").contains { $0 == "public" || $0 == "open" }
                && !line.contains(".open")
        }
        #expect(found == [], "\(file.path)")
    }

    @Test("nothing is forced: no try!, no as!", arguments: sources)
    func forced(file: SourceFile) {
        #expect(
            file.lineNumbers { $0.contains("try!") || $0.contains("as!") } == [], "\(file.path)")
    }

    @Test("only the edge prints: Arguments, and the programs", arguments: sources)
    func printing(file: SourceFile) {
        guard !["Arguments", "walkdown", "walkdownd"].contains(file.module) else { return }
        let found = file.lineNumbers { line in
            line.contains(" print(") || line.hasPrefix("print(") || line.contains("debugPrint(")
        }
        #expect(found == [], "\(file.path)")
    }

    @Test("types are named for the trade, not for a pattern", arguments: sources)
    func names(file: SourceFile) {
        let vague = ["Manager", "Helper", "Service", "Util", "Utils", "Base", "Common"]
        let found = file.lineNumbers { line in
            let words = line.split(separator: " ")
            guard
                let at = words.firstIndex(where: {
                    ["class", "struct", "enum", "protocol"].contains($0)
                }),
                at + 1 < words.count
            else { return false }
            let name = words[at + 1].prefix { $0.isLetter || $0.isNumber }
            return vague.contains { name.hasSuffix($0) }
        }
        #expect(found == [], "\(file.path)")
    }

    @Test("each promise to the compiler says what keeps it", arguments: everything)
    func uncheckedPromises(file: SourceFile) {
        let found = file.lineNumbers { line in
            line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)")
        }
        for number in found where !file.hasCommentAbove(line: number) {
            Issue.record("\(file.path):\(number): which lock or queue makes this true?")
        }
    }

    @Test("SQL that reads stands in the two stores", arguments: sources)
    func queries(file: SourceFile) {
        guard !["LocalStore", "ServerStore", "SQLite"].contains(file.module) else { return }
        let found = file.lines.indices.filter { index in
            let line = file.lines[index]
            return line.contains("SELECT ") && !line.trimmed.hasPrefix("//")
        }
        #expect(found.map { $0 + 1 } == [], "\(file.path)")
    }

    @Test(
        "U51 no window is made beside the screen's own, so none can be missing where there is no room"
    )
    func windows() {
        let makers = ["newwin", "derwin", "subwin", "newpad", "subpad", "dupwin", "initscr"]
        for path in Self.tree.files(under: "Sources/CLibraries") + Self.sources.map(\.path) {
            let words = Set(Self.tree.text(of: path).split { !($0.isLetter || $0.isNumber) })
            #expect(words.isDisjoint(with: makers.map { $0[...] }), "\(path)")
        }
        let screen = Self.tree.text(of: "Sources/CLibraries/CNcurses/screen.c")
        #expect(screen.contains("screen = newterm("))
        #expect(screen.contains("if (screen == NULL) return -1;"))
    }

    @Test(
        "pure cores take time, ids and randomness as parameters",
        arguments: pureSources)
    func purity(file: SourceFile) {
        let found = file.lineNumbers { line in
            ["Date()", "UUID()", ".random(", "SystemRandomNumberGenerator", "DispatchTime.now"]
                .contains { line.contains($0) } && !line.contains("using:")
        }
        #expect(found == [], "\(file.path)")
    }
}

extension SourceFile {
    /// Whether the declaration on this line (from 1) has a comment on it, or in the three lines
    /// above it.
    func hasCommentAbove(line: Int) -> Bool {
        lines[max(0, line - 4)..<line].contains { $0.contains("//") }
    }
}

extension Substring {
    var trimmed: Substring {
        drop { $0 == " " }
    }
}
