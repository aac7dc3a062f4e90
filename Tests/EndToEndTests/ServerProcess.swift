import Foundation
import TestSupport
import Testing

/// A real `walkdownd` for one test: one team, the cold-chain form, one site, one asset and one
/// assignment, on a free loopback port with TLS.
final class ServerProcess {
    let folder: TemporaryFolder
    private(set) var address = ""
    private var process: Process?
    private let data: String

    init(_ folder: TemporaryFolder) throws {
        self.folder = folder
        data = folder.file("server")
        try administer("init")
        try administer("team", "add", "field")
        try administer("form", "publish", Self.form)
        try administer(
            "import", "sites", folder.write("id,name,team\nS1,Pier 4,field\n", to: "sites.csv"))
        try administer(
            "import", "assets",
            folder.write(
                "id,site,tag,name,model,serial\nA1,S1,F-17,Freezer,M1,77\n", to: "assets.csv"))
        try administer(
            "import", "assignments",
            folder.write(
                "asset,form,due\nA1,cold_chain_equipment,2026-12-09\n", to: "assignments.csv"))
        try start()
    }

    deinit {
        stop()
    }

    private static var form: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Resources/forms/cold_chain_equipment.json").path
    }

    @discardableResult
    func administer(_ words: String...) throws -> ProgramRun {
        let run = try ProgramRun.run("walkdownd", words + ["--data", data], folder: folder)
        #expect(run.status == 0, "walkdownd \(words): \(run.messages)")
        return run
    }

    /// A one-time enrolment code.
    ///
    /// - Parameter name: what the administrator calls the device; nil where it names itself.
    func code(name: String? = nil) throws -> String {
        let run =
            if let name {
                try administer("device", "code", "--team", "field", "--name", name)
            } else {
                try administer("device", "code", "--team", "field")
            }
        return String(try #require(run.output.split(separator: "\n").first))
    }

    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Binaries.path(of: "walkdownd"))
        let listen = address.isEmpty ? "127.0.0.1:0" : String(address.dropFirst("https://".count))
        process.arguments = ["serve", "--data", data, "--listen", listen]
        process.environment = ["PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = process
        // Ends with the line, or with the process: no deadline is needed.
        var line = Data()
        while !line.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            line += more
        }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        try #require(words.count == 2 && words[0] == "listening", "serve said \(words)")
        address = String(words[1])
    }

    func stop() {
        guard let process else { return }
        process.terminate()
        process.waitUntilExit()
        self.process = nil
    }
}

/// One device: a home and its PIN.
struct Handheld {
    static let pin = "739155"
    let name: String
    let folder: TemporaryFolder
    var home: String { folder.file(name) }

    func run(_ words: String..., pin: String = Handheld.pin) throws -> ProgramRun {
        try ProgramRun.run(
            "walkdown", words + ["--pin-file", "-"], input: pin + "\n",
            environment: ["WALKDOWN_HOME": home], folder: folder)
    }

    func enrol(at server: ServerProcess) throws {
        let run = try run("enroll", server.address, server.code(), "--name", name)
        #expect(run.status == 0, "\(run.messages)")
    }
}
