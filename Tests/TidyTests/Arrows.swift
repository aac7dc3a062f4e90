import Testing

/// `Package.swift` holds the arrows as one table; SwiftPM does not stop a module from importing what
/// only another module's arrow brought along. These tests do.
@Suite("Arrows between modules")
struct Arrows {
    static let arrows = Manifest(text: HouseRules.tree.text(of: "Package.swift")).arrows

    @Test("a module imports only what its arrows lead to", arguments: HouseRules.sources)
    func reach(file: SourceFile) {
        guard Self.arrows[file.module] != nil else { return }
        let reachable = Self.closure(of: file.module)
        let strangers = file.imports.filter { Self.arrows[$0] != nil && !reachable.contains($0) }
        #expect(strangers == [], "\(file.path)")
    }

    @Test("a C library is imported by the one module that wraps it", arguments: HouseRules.sources)
    func cLibraries(file: SourceFile) {
        let own = Set(Self.arrows[file.module] ?? [])
        let foreign = file.imports.filter { Self.isCLibrary($0) && !own.contains($0) }
        #expect(foreign == [], "\(file.path)")
    }

    @Test("client and server meet in Shared only")
    func sidesDoNotMeet() {
        for side in ["Client", "Server"] {
            let modules = Set(
                HouseRules.sources.filter { $0.path.hasPrefix("Sources/\(side)/") }
                    .map(\.module))
            let others = HouseRules.sources.filter {
                $0.path.hasPrefix("Sources/") && !$0.path.hasPrefix("Sources/\(side)/")
            }
            for file in others {
                #expect(file.imports.filter { modules.contains($0) } == [], "\(file.path)")
            }
        }
    }

    @Test("only the stores speak to SQLite", arguments: HouseRules.sources)
    func sqliteBelongsToTheStores(file: SourceFile) {
        guard !["LocalStore", "ServerStore", "SQLite"].contains(file.module) else { return }
        #expect(!file.imports.contains("SQLite"), "\(file.path)")
    }

    @Test("there are no more than twenty Swift modules")
    func ceiling() {
        let swiftModules = Self.arrows.keys.filter { name in
            !Self.isCLibrary(name) && !name.hasSuffix("Tests")
                && ![
                    "walkdown", "walkdownd", "walkdown-bench", "walkdown-sim", "TestSupport",
                ].contains(name)
        }
        #expect(swiftModules.count <= 20)
        #expect(swiftModules.count >= 10, "the manifest's table was not understood")
    }

    static func isCLibrary(_ name: String) -> Bool {
        let letters = Array(name)
        return letters.count > 1 && letters[0] == "C" && letters[1].isUppercase
    }

    static func closure(of module: String) -> Set<String> {
        var seen: Set<String> = []
        var waiting = arrows[module] ?? []
        while let next = waiting.popLast() {
            if seen.insert(next).inserted { waiting += arrows[next] ?? [] }
        }
        return seen
    }
}

/// The module table of Package.swift, read as text: `Module(name: "X", …, imports: ["A", "B"], …)`.
struct Manifest {
    private(set) var arrows: [String: [String]] = [:]

    init(text: String) {
        for chunk in text.split(separator: "Module(").dropFirst() {
            guard let name = Self.strings(after: "name:", in: chunk).first else { continue }
            arrows[name] = Self.list(after: "imports:", in: chunk)
        }
    }

    private static func strings(after label: String, in chunk: Substring) -> [String] {
        guard let range = chunk.firstRange(of: label) else { return [] }
        let parts = chunk[range.upperBound...].split(
            separator: "\"", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }

    private static func list(after label: String, in chunk: Substring) -> [String] {
        guard let start = chunk.firstRange(of: label),
            let end = chunk[start.upperBound...].firstIndex(of: "]")
        else { return [] }
        return strings(after: label, in: chunk[..<end])
    }
}
