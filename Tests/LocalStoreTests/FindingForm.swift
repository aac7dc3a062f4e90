import Coding
import Forms
import Inspections
import Replication

@testable import LocalStore

/// A form whose failures are findings: of the inspection itself, of rows, and of what is not always
/// asked.
enum FindingForm {
    static let id = "check"

    static var form: FormDefinition {
        get throws {
            var guards = verdict("guards", critical: true)
            guards.rules.relevant = try FormExpression("/data/power = 'pass'")
            let doors = Repetition(
                path: "door", text: FormText("Door"),
                items: [
                    .question(
                        Question(path: "door/tag", label: "Tag", type: .text(multiline: false))),
                    .question(verdict("door/seal")),
                ])
            var silent = verdict("light")
            silent.findingOnFail = false
            return try FormDefinition(
                id: id, version: "1", title: "Check",
                sections: [
                    Section(
                        name: "main", text: FormText("Main"),
                        items: [
                            .question(verdict("seals")),
                            .question(verdict("alarm", critical: true)),
                            .question(verdict("power")), .question(guards), .question(silent),
                            .question(
                                Question(
                                    path: "notes", label: "Notes", type: .text(multiline: true))),
                            .question(Question(path: "hint", label: "Look up", type: .note)),
                            .repetition(doors),
                        ])
                ])
        }
    }

    private static func verdict(_ path: String, critical: Bool = false) -> Question {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return Question(
            path: path, label: name.prefix(1).uppercased() + name.dropFirst(), type: .verdict,
            critical: critical,
            findingOnFail: true)
    }
}

extension Device {
    /// A device that has the form of checks too, and an inspection by it.
    static func withCheck() throws -> (Device, RecordID) {
        let device = try Device()
        return (device, try device.newCheck())
    }

    func newCheck() throws -> RecordID {
        try store.store(form: try FindingForm.form)
        return try store.createInspection(form: FindingForm.id, version: "1", asset: nil)
    }

    /// What is found in an inspection, a line each: `seals major pending`.
    func found(in id: RecordID) throws -> [String] {
        try store.inspection(id).findings.map { listed in
            let finding = listed.view.finding
            let parts = [
                listed.address, finding.severity.rawValue, finding.status.rawValue, finding.owner,
                finding.due, finding.note, listed.view.fails ? nil : "passes",
                listed.view.sync == .synced ? nil : listed.view.sync.rawValue,
            ]
            return parts.compactMap(\.self).joined(separator: " ")
        }
    }

    /// The only finding of an inspection.
    func onlyFinding(in id: RecordID) throws -> RecordID {
        let all = try store.inspection(id).findings
        return all.count == 1 ? all[0].view.id : RecordID("not one but \(all.count)")
    }
}
