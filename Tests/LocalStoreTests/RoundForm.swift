import Coding
import Forms
import Replication

@testable import LocalStore

/// A form with everything that follows from answers: calculations, defaults, conditions, filtered lists,
/// rows by hand, rows within rows and rows that are counted.
enum RoundForm {
    static let id = "round"

    static var form: FormDefinition {
        get throws {
            var parts = FormParts(id: id, version: "1", title: "Round")
            parts.instanceName = try FormExpression("concat('Round ', /data/site)")
            parts.sections = [
                Section(
                    name: "main", title: "Main", questions: try main),
                Section(
                    name: "rows", text: FormText("Rows"), items: [try pumps, try doors]),
            ]
            parts.hidden = try hidden
            parts.lists["towns"] = towns
            return try FormDefinition(parts)
        }
    }

    private static var main: [Question] {
        get throws {
            var shift = Question(path: "shift", label: "Shift", type: .text(multiline: false))
            shift.initial = "day"
            var serial = Question(path: "serial", label: "Serial", type: .text(multiline: false))
            serial.rules.readonly = try FormExpression("true()")
            var town = choice("town", ["north1", "north2", "south1"])
            town.filter = ChoiceFilter(
                nodeset: try FormExpression(
                    "instance('towns')/root/item[region = /data/region]"), valueName: "name")
            var psi = Question(
                path: "psi", label: "Pressure", type: .decimal,
                limits: NumberLimits(hardMinimum: 0, hardMaximum: 500), merge: "quarantine")
            psi.rules.constraint = try FormExpression(". < /data/limit or /data/limit = ''")
            psi.rules.constraintText = FormText("above the limit")
            var several = Question(path: "seen_by", label: "Seen by", type: .choices)
            several.list = ChoiceList(["anna", "ben", "cleo"].map { Choice(name: $0, label: $0) })
            var why = Question(
                path: "why", label: "Why", type: .text(multiline: true), required: true,
                relevant: try FormExpression("/data/ok = 'no'"))
            why.rules.constraint = try FormExpression("string-length(.) > 2")
            return [
                Question(path: "site", label: "Site", type: .text(multiline: false)), shift,
                serial, choice("ok", ["yes", "no"]), why,
                choice("region", ["north", "south"]), town, psi,
                Question(path: "limit", label: "Limit", type: .integer), several,
                Question(path: "at", label: "At", type: .time),
                Question(path: "when", label: "When", type: .dateTime),
                Question(path: "where", label: "Where", type: .point),
                Question(path: "agreed", label: "Agreed", type: .acknowledge),
                Question(path: "pumps", label: "Pumps", type: .integer),
            ]
        }
    }

    private static func choice(_ path: String, _ names: [String]) -> Question {
        Question(
            path: path, label: path, type: .choice,
            choices: names.map { Choice(name: $0, label: $0) })
    }

    private static var pumps: FormItem {
        get throws {
            .repetition(
                Repetition(
                    path: "pump", text: FormText("Pump"),
                    count: try FormExpression("/data/pumps"),
                    items: [
                        .question(
                            Question(
                                path: "pump/tag", label: "Tag", type: .text(multiline: false)))
                    ]))
        }
    }

    private static var doors: FormItem {
        get throws {
            let hinges = Repetition(
                path: "door/hinge", text: FormText("Hinge"),
                items: [
                    .question(Question(path: "door/hinge/play", label: "Play", type: .decimal))
                ])
            var seal = choice("door/seal", ["good", "worn"])
            seal.rules.required = .always
            return .repetition(
                Repetition(
                    path: "door", text: FormText("Door"),
                    items: [
                        .question(
                            Question(
                                path: "door/tag", label: "Tag", type: .text(multiline: false))),
                        .question(
                            Question(
                                path: "door/gap", label: "Gap", type: .decimal,
                                limits: NumberLimits(hardMinimum: 0, hardMaximum: 50))),
                        .question(seal), .repetition(hinges),
                    ]))
        }
    }

    private static var hidden: [Question] {
        get throws {
            let rules = [
                ("total", "sum(/data/door/gap)"), ("doors", "count(/data/door)"),
                ("meta/instanceID", "concat('uuid:', uuid())"), ("twice", "/data/limit * 2"),
                ("door/number", "position(..)"), ("door/half", "../gap div 2"),
            ]
            return try rules.map { path, calculation in
                var question = Question(
                    path: path, label: path,
                    type: path == "meta/instanceID" ? .text(multiline: false) : .decimal,
                    merge: "lww")
                question.isHidden = true
                question.rules.calculate = try FormExpression(calculation)
                return question
            }
        }
    }

    private static let towns = NodeContent(
        "root",
        children: [("north1", "north"), ("north2", "north"), ("south1", "south")].map { town in
            NodeContent(
                "item",
                children: [
                    NodeContent("name", text: town.0), NodeContent("region", text: town.1),
                ])
        })
}

extension Device {
    /// A device that has the form of rounds too, and an inspection by it.
    static func withRound() throws -> (Device, RecordID) {
        let device = try Device()
        try device.store.store(form: try RoundForm.form)
        return (device, try device.newRound())
    }

    func newRound() throws -> RecordID {
        try store.createInspection(form: RoundForm.id, version: "1", asset: nil)
    }

    /// Gives answers as a person does.
    func answer(_ id: RecordID, row: String? = nil, _ answers: (String, FieldValue)...) throws {
        try store.change(
            id, by: answers.map { .answer(AnswerKey(row: row, $0.0), $0.1) })
    }

    @discardableResult
    func addRow(
        _ path: String = "door", in parent: String? = nil, to id: RecordID,
        _ answers: (String, FieldValue)...
    ) throws -> String {
        let row = store.newRowID()
        try store.change(
            id,
            by: [.add(row: row, path: path, parent: parent)]
                + answers.map { .answer(AnswerKey(row: row, $0.0), $0.1) })
        return row
    }

    func rows(_ path: String = "door", of id: RecordID) throws -> [InspectionDetail.Row] {
        try store.inspection(id).rows.filter { $0.path == path }
    }

    /// What the rows of a repeat say to one question.
    func column(_ question: String, of id: RecordID) throws -> [FieldValue] {
        let path = question.split(separator: "/").dropLast().joined(separator: "/")
        return try rows(path, of: id).map { $0.fields[question]?.value ?? .null }
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = .string(text) }
}
