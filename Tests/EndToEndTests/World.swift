import Coding
import Foundation
import TestSupport

/// A server of its own with two sites and three pieces of equipment, made by the documented
/// commands; it ends with this value.
final class World {
    let folder: TemporaryFolder
    let url: String
    private var server: pid_t
    private let walkdown: String
    private let walkdownd: String

    static let pin = "246810"

    init() throws {
        folder = try TemporaryFolder("world")
        walkdown = try Binaries.path(of: "walkdown")
        walkdownd = try Binaries.path(of: "walkdownd")
        let data = folder.file("server")
        let output = folder.file("serve.out")
        guard chmod(try folder.write(World.pin + "\n", to: "pin"), 0o600) == 0 else {
            throw HarnessError("cannot close the PIN's file to others")
        }
        try World.run(walkdownd, ["init", "--data", data, "--admin", "boss"], in: folder)
        server = try Spawn.start(
            [walkdownd, "serve", "--data", data, "--listen", "127.0.0.1:0"], output: output,
            errors: folder.file("serve.err"))
        url = try World.address(in: output, of: server)
        try fill()
    }

    deinit {
        kill(server, SIGKILL)
        waitpid(server, nil, 0)
    }

    /// As a lost battery does.
    func killServer() {
        kill(server, SIGKILL)
        waitpid(server, nil, 0)
    }

    /// As an administrator does.
    func stopServer() {
        kill(server, SIGTERM)
        waitpid(server, nil, 0)
    }

    /// Connections are taken by the system, and nobody answers.
    func pauseServer() { kill(server, SIGSTOP) }

    func resumeServer() { kill(server, SIGCONT) }

    /// On the same port, which the devices know.
    /// - Parameter fault: the program that runs it, and what it does to it.
    func startServerAgain(under fault: [String] = []) throws {
        let output = folder.file("serve.out")
        server = try Spawn.start(
            fault + [
                walkdownd, "serve", "--data", folder.file("server"), "--listen",
                String(url.dropFirst("https://".count)),
            ], output: output, errors: folder.file("serve.err"))
        _ = try World.address(in: output, of: server)
    }

    /// What the server ends with by itself.
    func serverStatus() throws -> Int32 {
        let deadline = Date(timeIntervalSinceNow: 30)
        var status: Int32 = 0
        while Date() < deadline {
            if waitpid(server, &status, WNOHANG) == server {
                return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
            }
            _ = poll(nil, 0, 20)
        }
        throw HarnessError("walkdownd does not end")
    }

    private static func address(in file: String, of server: pid_t) throws -> String {
        let deadline = Date(timeIntervalSinceNow: 30)
        while Date() < deadline {
            // Still to be waited for, by whoever started it.
            var end = siginfo_t()
            let isOver =
                waitid(P_PID, id_t(server), &end, WEXITED | WNOHANG | WNOWAIT) == 0
                && end.si_signo == SIGCHLD
            if isOver { throw HarnessError("walkdownd has ended before it listened") }
            let data = FileManager.default.contents(atPath: file) ?? Data()
            let line = String(decoding: data, as: UTF8.self)
            if line.hasPrefix("listening "), line.hasSuffix("\n") {
                return String(line.dropFirst(10).dropLast())
            }
            _ = poll(nil, 0, 20)
        }
        throw HarnessError("walkdownd does not listen")
    }

    private func fill() throws {
        let form = Binaries.checkout() + "/Resources/forms/cold_chain_equipment.json"
        let sites = try folder.write(
            "id,name,team\nS1,Harbour,field\nS2,Depot,field\n", to: "sites.csv")
        let assets = try folder.write(
            """
            id,site,tag,name,model,serial
            A1,S1,FRZ-1,Freezer 1,,
            A2,S1,FRZ-2,Freezer 2,,
            A3,S2,CHL-3,Chiller 3,,

            """, to: "assets.csv")
        let assignments = try folder.write(
            """
            asset,form,due
            A1,cold_chain_equipment,2026-12-04
            A2,cold_chain_equipment,2026-12-05
            A3,cold_chain_equipment,2026-12-06

            """, to: "assignments.csv")
        try administer("team", "add", "field")
        try administer("form", "publish", form)
        try administer("import", "sites", sites)
        try administer("import", "assets", assets)
        try administer("import", "assignments", assignments)
    }

    /// So many more freezers at the harbour, each with an inspection: FRZ-100, FRZ-101, …
    func addFreezers(_ count: Int) throws {
        let numbers = 100..<100 + count
        let assets = numbers.map { "A\($0),S1,FRZ-\($0),Freezer \($0),,\n" }.joined()
        let assignments = numbers.map { "A\($0),cold_chain_equipment,2026-12-07\n" }.joined()
        try administer(
            "import", "assets",
            folder.write("id,site,tag,name,model,serial\n" + assets, to: "more-assets.csv"))
        try administer(
            "import", "assignments",
            folder.write("asset,form,due\n" + assignments, to: "more-assignments.csv"))
    }

    @discardableResult
    func administer(_ words: String...) throws -> String {
        try World.run(walkdownd, words + ["--data", folder.file("server")], in: folder)
    }

    /// The port that the server listens on.
    var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Enrols a device, whose home is the folder of that name and opens quickly.
    /// - Parameter relay: the address that stands before the server; nil for the server's own.
    func enrol(_ name: String, through relay: String? = nil) throws -> Device {
        let code = try administer("device", "code", "--team", "field")
        let line = code.split(separator: "\n").first.map(String.init) ?? ""
        let device = Device(
            home: folder.file(name), pinFile: folder.file("pin"), walkdown: walkdown,
            folder: folder)
        try device.run("enroll", relay ?? url, line)
        try device.makeUnlockingCheap()
        return device
    }

    /// A home that is enrolled already, with a code of its own.
    func enrol(
        _ device: Device, again words: String..., team: String = "field",
        expecting status: Int32 = 0
    ) throws {
        let code = try administer("device", "code", "--team", team, "--name", "late")
        let line = code.split(separator: "\n").first.map(String.init) ?? ""
        try device.run(words + [url, line], expecting: status)
    }

    /// Output of a command; a status other than the expected one is an error.
    @discardableResult
    static func run(
        _ program: String, _ words: [String], expecting status: Int32 = 0,
        in folder: TemporaryFolder
    ) throws -> String {
        let name = UUID().uuidString
        let found = try Spawn.run(
            [program] + words, output: folder.file(name), errors: folder.file(name + ".err"))
        let output = String(decoding: try folder.bytes(of: name), as: UTF8.self)
        guard found == status else {
            let errors = String(decoding: try folder.bytes(of: name + ".err"), as: UTF8.self)
            throw HarnessError("\(words) ended with \(found): \(output)\(errors)")
        }
        return output
    }
}

/// An enrolled home and the commands on it.
struct Device {
    let home: String
    let pinFile: String
    let walkdown: String
    let folder: TemporaryFolder

    /// What a person types to open the application without being asked for the PIN.
    var opening: String { "\(walkdown) --home \(home) --pin-file \(pinFile)" }

    @discardableResult
    func run(_ words: String..., expecting status: Int32 = 0) throws -> String {
        try run(words, expecting: status)
    }

    @discardableResult
    func run(_ words: [String], expecting status: Int32 = 0) throws -> String {
        try World.run(
            walkdown, words + ["--home", home, "--pin-file", pinFile], expecting: status,
            in: folder)
    }

    /// The id of the inspection of this piece of equipment.
    func inspection(of asset: String) throws -> String {
        let list = try JSON.parse(Array(try run("list", "--json").utf8))
        guard case .array(let rows) = list else { throw HarnessError("list is no array") }
        for case .object(let row) in rows where row["asset"] == .string(asset) {
            if case .string(let id) = row["id"] { return id }
        }
        throw HarnessError("no inspection of \(asset)")
    }

    /// The stored answer; nil where there is none.
    func answer(_ question: String, of asset: String) throws -> JSON? {
        let shown = try run("show", try inspection(of: asset), "--json")
        guard case .object(let document) = try JSON.parse(Array(shown.utf8)),
            case .object(let fields)? = document["fields"],
            case .object(let field)? = fields[question]
        else { return nil }
        return field["value"]
    }

    func status() throws -> [String: JSON] {
        let text = try run("status", "--json")
        guard case .object(let status) = try JSON.parse(Array(text.utf8)) else {
            throw HarnessError("status is no object")
        }
        return status
    }
}
