import Foundation

/// The built `walkdownd` on loopback with TLS, one team, one site, one asset, and its forms.
final class BenchServer {
    let folder: BenchFolder
    let url: String
    private let process: Process

    var data: String { folder.path + "/server" }

    init(forms: [String]) throws {
        folder = try BenchFolder()
        let data = folder.path + "/server"
        try Programs.run(Programs.walkdownd, ["init", "--data", data])
        try Programs.run(Programs.walkdownd, ["team", "add", "bench", "--data", data])
        try Programs.run(Programs.walkdownd, ["form", "publish"] + forms + ["--data", data])
        try BenchServer.importRows("sites", "id,name,team\nS1,Depot,bench\n", into: data, folder)
        try BenchServer.importRows(
            "assets", "id,site,tag,name,model,serial\nA1,S1,BENCH-1,Chiller,M,1\n", into: data,
            folder)
        (process, url) = try BenchServer.serve(data)
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    private static func importRows(
        _ kind: String, _ text: String, into data: String, _ folder: BenchFolder
    ) throws {
        let file = folder.path + "/\(kind).csv"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try Programs.run(Programs.walkdownd, ["import", kind, file, "--data", data])
    }

    /// Starts the server and reads its first line, `listening https://ADDR:PORT`.
    private static func serve(_ data: String) throws -> (Process, String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Programs.walkdownd)
        process.arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line: [UInt8] = []
        while !line.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw BenchFailure.program("walkdownd ended before it listened")
            }
            line += more
        }
        let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\n" }
        guard words.count >= 2, words[0] == "listening" else {
            throw BenchFailure.program("walkdownd did not say where it listens")
        }
        return (process, String(words[1]))
    }

    func enrolmentCode() throws -> String {
        let text = try Programs.run(
            Programs.walkdownd, ["device", "code", "--team", "bench", "--data", data])
        return String(text.split(separator: "\n").first ?? "")
    }
}
