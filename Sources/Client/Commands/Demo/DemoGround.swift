internal import Arguments
internal import Foundation
internal import Glibc
internal import Replication
internal import Vault

/// Everything a demo stands on: a folder, a server in it, and two enrolled devices.
final class DemoGround {
    /// Shown to whoever plays: it protects nothing but the demo.
    static let pin = "246810"

    let folder: String
    let server: DemoServer
    let relay: Relay
    let device: DemoDevice
    let colleague: DemoDevice

    /// - Parameter kept: a folder that stays afterwards; nil for a temporary one.
    init(keeping kept: String?, in surroundings: Surroundings, today: String) throws {
        guard let resources = ResourceFolder.find(environment: surroundings.environment) else {
            throw Failure(
                .failed, "the forms that come with Walkdown are not beside this program",
                advice: "Set WALKDOWN_RESOURCES to the folder that holds 'forms'.")
        }
        // Before anything is made that would have to be removed again.
        _ = try DemoServer.findProgram()
        folder = try Self.makeFolder(kept)
        for name in ["server", "device", "colleague"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(name)", withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        }
        try PrivateFile.write(Self.pin + "\n", to: folder + "/pin")
        server = try DemoServer(
            in: folder + "/server", resources: resources, today: today,
            removing: kept == nil ? folder : nil)
        relay = try Relay(to: Self.port(of: server.url))
        device = DemoDevice(
            Home(folder + "/device"), pinFile: folder + "/pin", in: surroundings)
        colleague = DemoDevice(
            Home(folder + "/colleague"), pinFile: folder + "/pin", in: surroundings)
    }

    /// The device speaks through the relay, so that a tour can cut its wire.
    func enrol(throughRelay: Bool) throws {
        let url = throughRelay ? "https://127.0.0.1:\(relay.port)" : server.url
        try device.enrol(
            at: url, code: try server.enrolmentCode(for: "your handheld"), name: "your handheld")
        try colleague.enrol(
            at: server.url, code: try server.enrolmentCode(for: "a colleague's"),
            name: "a colleague's")
    }

    /// Ends everything that was started. A temporary folder is gone when this returns.
    func end() {
        relay.close()
        server.stop()
    }

    private static func makeFolder(_ kept: String?) throws -> String {
        if let kept {
            let path =
                kept.hasPrefix("/") ? kept : FileManager.default.currentDirectoryPath + "/" + kept
            // An error of the listing is the folder not being there, which is well.
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            guard names.isEmpty else {
                throw Failure(.failed, "\(kept) is not empty", advice: "Name a new folder.")
            }
            return path
        }
        var template = Array(
            (NSTemporaryDirectory() as NSString)
                .appendingPathComponent("walkdown-demo-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else {
            throw Failure(.failed, "there is no room for temporary files")
        }
        return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    private static func port(of url: String) throws -> Int {
        guard let port = url.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw Failure(.failed, "walkdownd listens somewhere odd: \(url)")
        }
        return port
    }
}
