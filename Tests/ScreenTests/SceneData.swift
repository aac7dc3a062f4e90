import Coding
import FieldApp
import Forms
import Inspections
import Replication

extension Scenes {
    static var rows: [WorklistRow] {
        [
            row(1, "FRZ-1", "Harbour cold store", "2026-03-04", .inProgress, .pending, 5, 8),
            row(2, "FRZ-2", "Harbour cold store", "2026-03-01", .assigned, .synced, 0, 8),
            row(3, "CHL-12 loading bay", "Depot North", nil, .complete, .failed, 8, 8),
            row(4, "CHL-13", "Depot North", "2026-03-09", .inProgress, .conflict, 6, 8),
            row(5, "冷凍庫-4", "Depot North", "2026-03-10", .inProgress, .inReview, 7, 8),
        ]
    }

    private static func row(
        _ number: Int, _ name: String, _ site: String, _ due: String?, _ state: InspectionState,
        _ badge: Badge, _ answered: Int, _ total: Int
    ) -> WorklistRow {
        WorklistRow(
            id: RecordID("00000000-0000-4000-8000-00000000000\(number)"), name: name, site: site,
            form: "Cold-chain equipment", due: due, state: state, badge: badge,
            answered: answered, total: total)
    }

    static func counts(queue: [QueueRow]) -> StatusPicture {
        var status = StatusPicture()
        status.pending = 3
        status.failed = 2
        status.conflict = 1
        status.inReview = 1
        status.lastSync = now.wall - 3 * 3_600_000
        status.oldestUnsynced = now.wall - 26 * 3_600_000
        status.device = "handheld-7"
        status.rows = queue
        return status
    }

    static var queue: [QueueRow] {
        [
            queued(
                1, "CHL-12 loading bay", .failed, reason: "valve_pressure_psi is above 2000",
                fields: ["valve_pressure_psi"], tries: 5),
            queued(
                2, "CHL-13", .conflict, reason: "changed by handheld-3 too",
                fields: ["door_seals", "notes"]),
            queued(3, "FRZ-1", .pending, fields: ["temperature_c"], isInFlight: true),
            queued(4, "冷凍庫-4", .inReview, fields: ["temperature_c"]),
            queued(
                5, "ICE-9", .failed, reason: "the server does not know the form",
                fields: ["@form"], tries: 1, creates: true),
        ]
    }

    private static func queued(
        _ number: Int, _ name: String, _ badge: Badge, reason: String? = nil, fields: [String],
        tries: Int = 0, isInFlight: Bool = false, creates: Bool = false
    ) -> QueueRow {
        QueueRow(
            id: MutationID("10000000-0000-4000-8000-00000000000\(number)"),
            record: RecordID("00000000-0000-4000-8000-00000000000\(number)"), name: name,
            badge: badge, isInFlight: isInFlight, createsRecord: creates, reason: reason,
            fields: fields, createdAt: now.wall - Int64(number) * 3_600_000, tries: tries,
            nextTry: tries > 0 ? now.wall + 240_000 : nil)
    }

    static func form() throws -> FormDefinition {
        try FormDefinition(
            id: "cold_chain_equipment", version: "1", title: "Cold-chain equipment",
            sections: [
                Section(
                    name: "identification", title: "Identification",
                    questions: [
                        Question(
                            path: "facility", label: "Facility", type: .text(multiline: false),
                            hint: "The building or vessel where the equipment stands",
                            required: true),
                        Question(
                            path: "refrigerant", label: "Refrigerant", type: .choice,
                            required: true,
                            choices: ["R-134a", "R-404A", "R-717 (ammonia)"].enumerated().map {
                                Choice(name: "r\($0.offset)", label: $0.element)
                            }),
                    ]),
                Section(
                    name: "readings", title: "Readings",
                    questions: [
                        Question(
                            path: "pressure", label: "Valve pressure", type: .decimal,
                            required: true, unit: "psi",
                            limits: NumberLimits(hardMinimum: 0, hardMaximum: 2_000),
                            previous: true),
                        Question(
                            path: "temperature",
                            label: "Temperature in the middle of the load, at the probe",
                            type: .decimal, unit: "°C"),
                        Question(path: "seals", label: "Door seals", type: .verdict),
                    ]),
                Section(
                    name: "end", title: "End of the visit",
                    questions: [
                        Question(path: "next", label: "Next visit", type: .date),
                        Question(path: "notes", label: "Notes", type: .text(multiline: true)),
                        Question(
                            path: "thanks", label: "Close the door and take the key back.",
                            type: .note),
                    ]),
            ])
    }

    /// Remarks in place of notes, pressures up to 120 psi, and the door is always looked at.
    static func secondForm() throws -> FormDefinition {
        var parts = try form().parts
        parts.version = "2"
        for section in parts.sections.indices {
            parts.sections[section].items = parts.sections[section].items.map { item in
                guard case .question(var question) = item else { return item }
                if question.path == "pressure" { question.limits.hardMaximum = 120 }
                if question.path == "next" { question.rules.required = .always }
                if question.path == "notes" { question.path = "remarks" }
                return .question(question)
            }
        }
        return try FormDefinition(parts)
    }

    static func picture() throws -> InspectionPicture {
        var picture = try storedPicture()
        picture.visit = Visit(
            inspection: "before", formVersion: "1", day: "2026-02-03",
            answers: FormAnswers([
                "facility": .string("Shed 3"), "pressure": .double(137.5),
                "temperature": .double(-19), "seals": .string("fail"),
            ]))
        return picture
    }

    private static func storedPicture() throws -> InspectionPicture {
        InspectionPicture(
            id: freezer, name: "FRZ-1", site: "Harbour cold store", form: try form(),
            state: .inProgress, due: "2026-03-04",
            answers: [
                "facility": AnswerPicture(value: .string("Shed 4"), standing: .conflict),
                "pressure": AnswerPicture(
                    value: .integer(140), standing: .savedHere),
                "temperature": AnswerPicture(value: .double(-21.5), standing: .inReview),
                "seals": AnswerPicture(value: .string("pass"), standing: .accepted),
                "notes": AnswerPicture(
                    value: .string("Compressor replaced."), standing: .failed),
            ], conflicts: [freezer])
    }

    static func conflict() throws -> ConflictPicture {
        let form = try form()
        return ConflictPicture(
            id: RecordID("00000000-0000-4000-8000-000000000002"), name: "CHL-13",
            fields: [
                ConflictField(
                    path: "seals", question: form.question(named: "seals"),
                    base: .string("pass"), mine: .string("fail"), theirs: .string("na"),
                    theirsBy: "handheld-3"),
                ConflictField(
                    path: "notes", question: form.question(named: "notes"), base: .null,
                    mine: .string("Gasket torn on the left side"),
                    theirs: .string("New gasket is on order, see the maintenance book"),
                    theirsBy: "handheld-3"),
            ])
    }
}

/// A question of the inspection itself.
extension AnswerKey: ExpressibleByStringLiteral {
    public init(stringLiteral path: String) { self.init(path) }
}
