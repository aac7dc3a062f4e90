import Coding
import Foundation

/// An enrolled device with one assigned inspection of a form with many questions, made by the
/// documented commands.
final class BenchDevice {
    static let pin = "bench-pin-2468"

    let server: BenchServer
    let home: String
    private let pinFile: String

    init(questions: Int) throws {
        let forms = try BenchFolder()
        let file = forms.path + "/many.json"
        try Data(BenchDevice.form(questions: questions).serialized()).write(
            to: URL(fileURLWithPath: file))
        server = try BenchServer(forms: [file])
        try server.assign(form: "many_questions", asset: "A1")
        home = server.folder.path + "/device"
        pinFile = server.folder.path + "/pin"
        try Data((BenchDevice.pin + "\n").utf8).write(to: URL(fileURLWithPath: pinFile))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pinFile)
        try Programs.run(
            Programs.walkdown,
            [
                "enroll", server.url, try server.enrolmentCode(), "--home", home, "--pin-file",
                pinFile,
            ])
    }

    /// The application, unlocked, with the worklist drawn.
    func openApplication() throws -> TerminalProcess {
        let application = try startApplication()
        guard application.waitUntilIdle(seconds: 30) else {
            throw BenchFailure.program("the application did not come to rest")
        }
        return application
    }

    /// The application as a person starts it: it asks for the PIN.
    func startLocked() throws -> TerminalProcess {
        try TerminalProcess(Programs.walkdown, ["--home", home])
    }

    func startApplication() throws -> TerminalProcess {
        try TerminalProcess(Programs.walkdown, ["--home", home, "--pin-file", pinFile])
    }

    /// Ten sections of numbers, texts and choices in turn.
    private static func form(questions: Int) -> JSON {
        let sections = (0..<10).map { section -> JSON in
            let own = (0..<questions / 10).map { question(section * (questions / 10) + $0) }
            return .object([
                "name": .string("section_\(section)"), "title": .string("Section \(section)"),
                "questions": .array(own),
            ])
        }
        return .object([
            "format": 1, "id": "many_questions", "version": "1", "title": "Many questions",
            "sections": .array(sections),
        ])
    }

    private static func question(_ number: Int) -> JSON {
        var question: [String: JSON] = [
            "path": .string("question_\(number)"), "label": .string("Reading number \(number)"),
        ]
        switch number % 3 {
        case 0: question["type"] = "decimal"
        case 1: question["type"] = "text"
        default:
            question["type"] = "choice"
            question["choices"] = .array(
                ["low", "medium", "high"].map { name in
                    .object(["name": .string(name), "label": .string(name.capitalized)])
                })
        }
        return .object(question)
    }
}

extension BenchServer {
    func assign(form: String, asset: String) throws {
        let file = folder.path + "/assignments.csv"
        try Data("asset,form,due\n\(asset),\(form),2026-12-31\n".utf8).write(
            to: URL(fileURLWithPath: file))
        try Programs.run(Programs.walkdownd, ["import", "assignments", file, "--data", data])
    }
}
