// swift-tools-version: 6.0
import Foundation
import PackageDescription

// The architecture as one table. `imports` are the arrows of Sources/README.md: a module may import
// these and no others (Tests/TidyTests reads the imports and holds them against this picture).
// Each target lists the transitive closure of its arrows, because a target is rebuilt only when a
// module that it lists changes, and an unlisted one may be inside its values.

struct Module {
    var name: String
    var path: String
    var imports: [String] = []
    var libraries: [String] = []
    /// Where a C library's headers stand when not in /usr/include itself: Debian 12 and 13 agree on
    /// the place, and asking pkg-config would add what it found to every other target.
    var headers: [String] = []
}

let cLibraries: [Module] = [
    Module(name: "CSQLite", path: "Sources/CLibraries/CSQLite"),
    Module(name: "CSodium", path: "Sources/CLibraries/CSodium", libraries: ["sodium"]),
    Module(name: "CJansson", path: "Sources/CLibraries/CJansson", libraries: ["jansson"]),
    Module(name: "CZlib", path: "Sources/CLibraries/CZlib", libraries: ["z"]),
    Module(
        name: "CXML2", path: "Sources/CLibraries/CXML2", libraries: ["xml2"],
        headers: ["/usr/include/libxml2"]),
    Module(name: "CZip", path: "Sources/CLibraries/CZip", libraries: ["zip"]),
    Module(name: "CCurl", path: "Sources/CLibraries/CCurl", libraries: ["curl"]),
    Module(
        name: "CMicrohttpd", path: "Sources/CLibraries/CMicrohttpd", libraries: ["microhttpd"]),
    Module(name: "CGnuTLS", path: "Sources/CLibraries/CGnuTLS", libraries: ["gnutls"]),
    Module(
        name: "CNcurses", path: "Sources/CLibraries/CNcurses", libraries: ["ncursesw", "tinfo"]),
    Module(name: "CTerminal", path: "Sources/CLibraries/CTerminal"),
    Module(name: "CSystem", path: "Sources/CLibraries/CSystem"),
    Module(name: "CSystemd", path: "Sources/CLibraries/CSystemd", libraries: ["systemd"]),
    Module(
        name: "CPseudoTerminal", path: "Tests/CPseudoTerminal", libraries: ["ncursesw"]),
    Module(name: "CFaultyDisk", path: "Tests/CFaultyDisk"),
    Module(name: "CFailingCalls", path: "Tests/CFailingCalls"),
]

let modules: [Module] = [
    Module(name: "Crypto", path: "Sources/Shared/Crypto", imports: ["CSodium"]),
    Module(name: "Coding", path: "Sources/Shared/Coding", imports: ["CJansson", "CZlib"]),
    Module(name: "Phrases", path: "Sources/Shared/Phrases"),
    Module(name: "Forms", path: "Sources/Shared/Forms", imports: ["Coding", "Phrases"]),
    Module(name: "Inspections", path: "Sources/Shared/Inspections", imports: ["Forms"]),
    Module(
        name: "Replication", path: "Sources/Shared/Replication", imports: ["Crypto", "Coding"]),
    Module(name: "SQLite", path: "Sources/Shared/SQLite", imports: ["CSQLite"]),
    Module(name: "Arguments", path: "Sources/Shared/Arguments", imports: ["CSystem"]),

    Module(
        name: "Vault", path: "Sources/Client/Vault", imports: ["Crypto", "Coding", "CSystem"]),
    Module(
        name: "LocalStore", path: "Sources/Client/LocalStore",
        imports: ["Inspections", "Replication", "SQLite", "Vault"]),
    Module(
        name: "Sync", path: "Sources/Client/Sync",
        imports: ["LocalStore", "CCurl", "CSystem", "CSystemd"]),
    Module(
        name: "TerminalKit", path: "Sources/Client/TerminalKit",
        imports: ["CNcurses", "CTerminal"]),
    Module(
        name: "FieldApp", path: "Sources/Client/FieldApp", imports: ["Sync", "TerminalKit"]),
    Module(
        name: "Commands", path: "Sources/Client/Commands",
        imports: ["FieldApp", "Vault", "Arguments", "CSystem"]),

    Module(
        name: "FormImport", path: "Sources/Server/FormImport",
        imports: ["Forms", "CXML2", "CZip"]),
    Module(
        name: "ServerStore", path: "Sources/Server/ServerStore",
        imports: ["Inspections", "Replication", "SQLite"]),
    Module(
        name: "HTTP", path: "Sources/Server/HTTP", imports: ["CMicrohttpd", "CGnuTLS", "Crypto"]),
    Module(
        name: "Gateway", path: "Sources/Server/Gateway",
        imports: ["ServerStore", "FormImport", "HTTP", "Arguments", "Coding", "CSystem"]),
]

// Both libraries export the same symbols and two in one process go unnoticed: exactly one target
// of each product names the one that it runs on.
let executables: [Module] = [
    Module(
        name: "walkdown", path: "Sources/Client/walkdown", imports: ["Commands"],
        libraries: ["sqlcipher"]),
    Module(
        name: "walkdownd", path: "Sources/Server/walkdownd", imports: ["Gateway"],
        libraries: ["sqlite3"]),
    Module(
        name: "walkdown-probe", path: "Tests/TerminalProbe", imports: ["TerminalKit"]),
    Module(
        name: "walkdown-bench", path: "Tests/Benchmarks", imports: ["FieldApp", "CPseudoTerminal"],
        libraries: ["sqlcipher"]),
    // Both stores in one program, as they never are: on the library that the devices run on.
    Module(
        name: "walkdown-sim", path: "Tests/Simulation",
        imports: ["Sync", "ServerStore", "CFaultyDisk"], libraries: ["sqlcipher"]),
]

let testSQLite = Context.environment["WALKDOWN_TEST_SQLITE"] ?? "sqlcipher"

let tests: [Module] = [
    Module(name: "CryptoTests", path: "Tests/CryptoTests", imports: ["Crypto"]),
    Module(name: "CodingTests", path: "Tests/CodingTests", imports: ["Coding"]),
    Module(name: "FormsTests", path: "Tests/FormsTests", imports: ["Forms"]),
    Module(
        name: "InspectionsTests", path: "Tests/InspectionsTests", imports: ["Inspections"]),
    Module(
        name: "ReplicationTests", path: "Tests/ReplicationTests", imports: ["Replication"]),
    Module(
        name: "SQLiteTests", path: "Tests/SQLiteTests", imports: ["SQLite"],
        libraries: [testSQLite]),
    Module(name: "ArgumentsTests", path: "Tests/ArgumentsTests", imports: ["Arguments"]),
    Module(name: "VaultTests", path: "Tests/VaultTests", imports: ["Vault"]),
    Module(name: "LocalStoreTests", path: "Tests/LocalStoreTests", imports: ["LocalStore"]),
    Module(name: "SyncTests", path: "Tests/SyncTests", imports: ["Sync"]),
    Module(name: "TerminalKitTests", path: "Tests/TerminalKitTests", imports: ["TerminalKit"]),
    Module(name: "FieldAppTests", path: "Tests/FieldAppTests", imports: ["FieldApp"]),
    Module(name: "ScreenTests", path: "Tests/ScreenTests", imports: ["FieldApp"]),
    Module(name: "CommandsTests", path: "Tests/CommandsTests", imports: ["Commands"]),
    Module(name: "FormImportTests", path: "Tests/FormImportTests", imports: ["FormImport"]),
    Module(name: "ServerStoreTests", path: "Tests/ServerStoreTests", imports: ["ServerStore"]),
    Module(name: "HTTPTests", path: "Tests/HTTPTests", imports: ["HTTP"]),
    Module(name: "GatewayTests", path: "Tests/GatewayTests", imports: ["Gateway"]),
    Module(name: "SimulationTests", path: "Tests/SimulationTests"),
    Module(
        name: "EndToEndTests", path: "Tests/EndToEndTests",
        imports: ["Coding", "Crypto", "Vault"]),
    Module(name: "TidyTests", path: "Tests/TidyTests"),
]

// For a quick turn, WALKDOWN_TESTS=SyncTests,FormsTests builds those suites only (and SQLiteTests,
// which names the library).
let chosenTests = Context.environment["WALKDOWN_TESTS"].map { names in
    tests.filter { ("SQLiteTests," + names).split(separator: ",").contains($0.name[...]) }
}

let testSupport = Module(name: "TestSupport", path: "Tests/TestSupport")

let byName = Dictionary(
    uniqueKeysWithValues: (cLibraries + modules + [testSupport]).map { ($0.name, $0) })

func closure(of module: Module) -> [String] {
    var seen: Set<String> = []
    var waiting = module.imports
    while let name = waiting.popLast() {
        guard seen.insert(name).inserted else { continue }
        guard let next = byName[name] else { fatalError("no module is called \(name)") }
        waiting += next.imports
    }
    return seen.sorted()
}

var swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
if Context.environment["CI"] ?? "" != "" {
    swiftSettings.append(.unsafeFlags(["-warnings-as-errors"]))
}

func dependencies(of module: Module) -> [Target.Dependency] {
    closure(of: module).map { .byName(name: $0) }
}

func linking(_ module: Module) -> [LinkerSetting] {
    module.libraries.map { .linkedLibrary($0) }
}

// A README in a module's folder is for people; Golden, Databases and Resources are what tests read;
// SwiftPM warns of each file that it does not know.
func notes(in module: Module) -> [String] {
    let folder = Context.packageDirectory + "/" + module.path + "/"
    return ["README.md", "Golden", "Databases", "Resources"].filter {
        FileManager.default.fileExists(atPath: folder + $0)
    }
}

let package = Package(
    name: "walkdown",
    products: [
        .executable(name: "walkdown", targets: ["walkdown"]),
        .executable(name: "walkdownd", targets: ["walkdownd"]),
        .executable(name: "walkdown-bench", targets: ["walkdown-bench"]),
        // For LD_PRELOAD, by tests.
        .library(name: "walkdown-failing", type: .dynamic, targets: ["CFailingCalls"]),
    ],
    targets: cLibraries.map { module in
        .target(
            name: module.name, path: module.path, publicHeadersPath: ".",
            cSettings: module.headers.map { .unsafeFlags(["-I" + $0]) },
            linkerSettings: linking(module))
    }
        + (modules + [testSupport]).map { module in
            .target(
                name: module.name, dependencies: dependencies(of: module), path: module.path,
                exclude: notes(in: module), swiftSettings: swiftSettings,
                linkerSettings: linking(module))
        }
        + executables.map { module in
            .executableTarget(
                name: module.name, dependencies: dependencies(of: module), path: module.path,
                exclude: notes(in: module), swiftSettings: swiftSettings,
                linkerSettings: linking(module))
        }
        + (chosenTests ?? tests).map { module in
            .testTarget(
                name: module.name,
                dependencies: dependencies(of: module) + [.byName(name: "TestSupport")],
                path: module.path, exclude: notes(in: module), swiftSettings: swiftSettings,
                linkerSettings: linking(module))
        }
)
