import Coding
import Foundation
import TestSupport
import Testing

/// A home with answers that wait to be sent, and copies of it in which something fails.
final class FaultBench {
    let world: World
    let template: Device
    let inspection: String
    private var copies = 0

    /// What an inspector was told before the fault: both are saved.
    var earlier = ["facility": "kept", "notes": "old"]
    static let edit = "notes=new"

    init() throws {
        world = try World()
        template = try world.enrol("template")
        inspection = try template.inspection(of: "CHL-3")
        try template.run(["set", inspection] + earlier.map { "\($0)=\($1)" })
    }

    /// A device of its own with these files, for as long as the closure runs.
    func withCopy<Result>(_ body: (Device) throws -> Result) throws -> Result {
        copies += 1
        let copy = Device(
            home: world.folder.file("copy-\(copies)"), pinFile: template.pinFile,
            walkdown: template.walkdown, folder: world.folder)
        try FileManager.default.copyItem(atPath: template.home, toPath: copy.home)
        defer {
            // What cannot be removed goes with the folder of the world.
            try? FileManager.default.removeItem(atPath: copy.home)
        }
        return try body(copy)
    }

    /// One edit under a fault. Whatever becomes of it: no crash, no *saved* that is not, and nothing
    /// lost of what was saved before.
    func edit(on copy: Device, under fault: [String], _ story: String) throws {
        let attempt = try copy.attempt(["set", inspection, Self.edit], under: fault)
        #expect(attempt.status < 124, "\(story) ended with \(attempt.status): \(attempt.messages)")
        if attempt.status != 0 { #expect(!attempt.messages.isEmpty, "\(story)") }
        // The engine has no lines of its own on a screen.
        #expect(!attempt.messages.contains("sqlcipher_"), "\(story): \(attempt.messages)")
        try expectKept(on: copy, isSaved: attempt.status == 0, story)
    }

    func expectKept(on copy: Device, isSaved: Bool, _ story: String) throws {
        let finding = try copy.attempt(["doctor"])
        if finding.status != 0 {
            // What it says of a journal that is gone stays until somebody has read it.
            let repair = try copy.attempt(["doctor", "--repair", "--acknowledge"])
            #expect(repair.status == 0, "\(story): \(finding.output)\(repair.output)")
        }
        let answers = try copy.waitingAnswers(of: inspection)
        #expect(answers["facility"] == "kept", "\(story): \(finding.output)")
        let (notes, old) = (answers["notes"], earlier["notes"].map(JSON.string))
        #expect(notes == "new" || !isSaved && notes == old, "\(story): \(finding.output)")
    }
}

extension Device {
    /// What became of a command that something may keep from its work.
    struct Attempt {
        var status: Int32
        var output: String
        var messages: String
    }

    /// - Parameter fault: the program that runs it, and what it does to it. 124 or 137 says that it
    ///   hung.
    func attempt(_ words: [String], under fault: [String] = []) throws -> Attempt {
        let name = folder.file("attempt")
        let status = try Spawn.run(
            ["timeout", "-k", "5", "60"] + fault + [walkdown] + words
                + ["--home", home, "--pin-file", pinFile],
            output: name, errors: name + ".err")
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        return Attempt(status: status, output: try text(name), messages: try text(name + ".err"))
    }

    /// The newest answer to each question that waits to be sent, of one inspection.
    func waitingAnswers(of inspection: String) throws -> [String: JSON] {
        var answers: [String: JSON] = [:]
        for row in try JSON.parse(Array(run("outbox", "--json").utf8)).asArray() {
            guard try row.string("recordId") == inspection,
                case .object(let payload) = try row.required("payload")
            else { continue }
            answers.merge(payload) { $1 }
        }
        return answers
    }
}
