import Coding
import Forms
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("Answers that people give")
struct AnsweringTests {
    @Test("What follows from an answer is written with it, in the same mutation")
    func derived() throws {
        let (device, id) = try Device.withRound()
        try device.accept(id, version: 1)
        try device.answer(id, ("limit", .integer(20)))
        #expect(try device.queue(id) == ["UPDATE PENDING limit=20 on -@0 twice=40 on -@0"])
        try device.finish()
    }

    @Test("An inspection of one's own begins with its form's defaults, counts and name")
    func beginning() throws {
        let (device, id) = try Device.withRound()
        #expect(try device.value("shift", of: id) == .string("day"))
        #expect(try device.value("meta/instanceID", of: id) == .string("uuid:" + id.rawValue))
        #expect(try device.queue(id).count == 1)
        try device.finish()
    }

    @Test("An assigned one begins with its first answer, and not when it is looked at")
    func assigned() throws {
        let device = try Device()
        try device.store.store(form: try RoundForm.form)
        let server = StoryServer()
        server.policies = [:]
        server.edit(
            "assigned",
            ["@form": "round", "@formVersion": "1", "@state": "assigned"])
        try device.sync(server)
        _ = try device.store.filling(of: "assigned")
        _ = try device.store.inspections()
        #expect(try device.store.outbox().isEmpty)
        try device.answer("assigned", ("site", "Pier 4"))
        #expect(
            try device.queue("assigned") == [
                """
                UPDATE PENDING @state=inProgress on assigned@1 doors=0 on -@0 \
                meta/instanceID=uuid:assigned on -@0 shift=day on -@0 site=Pier 4 on -@0 \
                total=0 on -@0
                """
            ])
        // What was cleared later is not laid down again.
        try device.answer("assigned", ("shift", .null))
        try device.answer("assigned", ("site", "Pier 5"))
        #expect(try device.value("shift", of: "assigned") == .null)
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "An answer that the form refuses changes nothing, and says where and why",
        arguments: [
            ("why", .string("x"), .notAsked), ("serial", .string("x"), .readonly),
            ("twice", .integer(1), .calculated), ("total", .integer(1), .calculated),
            ("psi", .integer(501), .aboveMaximum(500)),
            ("psi", .integer(90), .constraint("above the limit")),
            ("town", .string("south1"), .notOffered), ("town", .string("nowhere"), .notOffered),
            ("seen_by", .string("anna dora"), .notOffered), ("at", .string("25:00"), .notATime),
            ("where", .string("here"), .notAPoint), ("agreed", .string("no"), .notOffered),
            ("nothing", .string("x"), .notAsked), ("door/tag", .string("x"), .notAsked),
        ] as [(String, FieldValue, AnswerProblem)])
    func refused(path: String, value: FieldValue, problem: AnswerProblem) throws {
        let (device, id) = try Device.withRound()
        try device.answer(id, ("limit", .integer(80)), ("region", "north"))
        let before = try device.store.values(of: id)
        let offered =
            ["town": ["north1", "north2"], "seen_by": ["anna", "ben", "cleo"]][path] ?? []
        #expect(
            throws: AnswerRefusal.answers([
                .init(
                    address: path, path: path, problem: problem,
                    offered: offered.map { Choice(name: $0, label: $0) })
            ])
        ) {
            try device.answer(id, ("site", "Pier 4"), (path, value))
        }
        #expect(try device.store.values(of: id) == before)
        try device.finish()
    }

    @Test(
        "Answers of one edit are seen together, in whatever order they are given",
        arguments: [false, true])
    func together(isReversed: Bool) throws {
        let (device, id) = try Device.withRound()
        let answers: [(String, FieldValue)] = [
            ("ok", "no"), ("why", "broken"), ("region", "south"), ("town", "south1"),
            ("limit", .integer(100)), ("psi", .integer(90)),
        ]
        try device.store.change(
            id,
            by: (isReversed ? answers.reversed() : answers).map { .answer(AnswerKey($0.0), $0.1) })
        for (path, value) in answers { #expect(try device.value(path, of: id) == value) }
        try device.finish()
    }

    @Test("A choice that is no longer offered goes with the answer that withdrew it")
    func dropped() throws {
        let (device, id) = try Device.withRound()
        try device.answer(id, ("region", "north"), ("town", "north2"))
        let filling = try device.store.change(
            id, by: [.answer(AnswerKey("region"), "south")])
        #expect(filling.value(of: AnswerKey("town")) == .null)
        #expect(try device.value("town", of: id) == .null)
        try device.finish()
    }

    @Test("An answer that is not asked any more is kept, stands in no one's way and comes back")
    func kept() throws {
        let (device, id) = try Device.withRound()
        try device.answer(id, ("ok", "no"), ("why", "broken"))
        try device.answer(id, ("ok", "yes"))
        #expect(try device.value("why", of: id) == "broken")
        try device.answer(id, ("ok", "no"))
        #expect(try device.store.filling(of: id).state.problem(of: "why") == nil)
        try device.finish()
    }

    @Test(
        "Answers are closed while an inspection is complete, rows too",
        arguments: ["complete", "approved"])
    func closed(state: String) throws {
        let (device, id) = try Device.withRound()
        let row = try device.addRow(to: id, ("door/seal", "good"))
        try device.accept(id, version: 1)
        try device.accept(RecordID(row), version: 2)
        try device.store.settle { database in
            try database.write(.string(state), to: "@state", of: id)
        }
        let refusal = StoreError.refused(state == "complete" ? .complete : .approved, field: nil)
        let changes: [AnswerChange] = [
            .answer(AnswerKey("site"), "x"), .answer(AnswerKey(row: row, "door/tag"), "x"),
            .add(row: "new", path: "door", parent: nil), .remove(row: row),
            .add(row: "new", path: "door/hinge", parent: row),
        ]
        for change in changes {
            #expect(throws: refusal) { try device.store.change(id, by: [change], agreed: true) }
        }
        // Neither does another way lead there.
        for statement in [
            "UPDATE round__door SET tag = 'x'", "DELETE FROM round__door",
            "INSERT INTO round__door (inspection, tag) VALUES ('\(id)', 'x')",
            "INSERT INTO round__door_hinge (parent, play) VALUES ('\(row)', 1)",
        ] {
            #expect(throws: refusal) { try device.store.sql(statement, write: true) }
        }
        try device.finish()
    }

    @Test("What others changed is worked out anew when the inspection is completed")
    func completing() throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        try device.answer(id, ("limit", .integer(20)))
        try device.sync(server)
        server.edit(id, ["limit": .integer(30)])
        try device.sync(server)
        #expect(try device.value("twice", of: id) == .integer(40))
        try device.store.complete(id)
        #expect(try device.value("twice", of: id) == .integer(60))
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test("F52 what is hidden and wrong does not stand in the way of complete")
    func hiddenAndInvalid() throws {
        let (device, id) = try Device.withRound()
        try device.answer(id, ("ok", "no"), ("why", "jammed"), ("limit", .integer(90)))
        try device.answer(id, ("psi", .integer(80)))
        // The constraint does not hold any more, and the question is asked.
        try device.answer(id, ("limit", .integer(10)))
        #expect(throws: (any Error).self) { try device.requireCompletable(id) }
        try device.answer(id, ("psi", .integer(5)), ("ok", "yes"))
        // Too short, or missing and required: nobody is asked for it.
        for hidden in ["x", FieldValue.null] {
            try device.store.set([("why", hidden)], on: id)
            try device.requireCompletable(id)
        }
        try device.store.complete(id)
        try device.finish()
    }

    @Test("F54 a name that comes to nothing falls back to form and time")
    func blankName() throws {
        let device = try Device()
        var parts = FormParts(id: "blank", version: "1", title: "Blank form")
        parts.instanceName = try FormExpression("/data/tag")
        parts.recordName = "tag"
        parts.sections = [
            Section(
                name: "main", title: "Main",
                questions: [Question(path: "tag", label: "Tag", type: .text(multiline: false))])
        ]
        try device.store.store(form: try FormDefinition(parts))
        let id = try device.store.createInspection(form: "blank", version: "1", asset: nil)
        for blank in [FieldValue.null, "", "   "] {
            try device.store.set([("tag", blank)], on: id)
            #expect(
                try device.store.inspection(id).summary.name == "Blank form 2026-03-02 08:00")
        }
        try device.answer(id, ("tag", "F-17"))
        #expect(try device.store.inspection(id).summary.name == "F-17")
        try device.finish()
    }

    @Test("A default that its own question does not take is left out, and the first answer stands")
    func authorsMistake() throws {
        let device = try Device()
        var parts = FormParts(id: "odd", version: "1", title: "Odd")
        var colour = Question(
            path: "colour", label: "Colour", type: .choice,
            choices: [Choice(name: "red", label: "Red")])
        colour.initial = "blue"
        var sum = Question(path: "sum", label: "Sum", type: .integer)
        sum.isHidden = true
        sum.rules.calculate = try FormExpression("'not a number'")
        parts.sections = [Section(name: "main", title: "Main", questions: [colour])]
        parts.hidden = [sum]
        try device.store.store(form: try FormDefinition(parts))
        let id = try device.store.createInspection(form: "odd", version: "1", asset: nil)
        #expect(try device.value("colour", of: id) == .null)
        #expect(try device.value("sum", of: id) == "not a number")
        try device.answer(id, ("colour", "red"))
        #expect(try device.value("colour", of: id) == "red")
        try device.finish()
    }

    @Test(
        "What a form lays down of device, day and instant is that of the beginning and of the end")
    func preloads() throws {
        let device = try Device(zone: ExpressionZone(fixedOffset: -25_200))
        var parts = FormParts(id: "laid", version: "1", title: "Laid down")
        parts.sections = [
            Section(
                name: "main", title: "Main",
                questions: [Question(path: "tag", label: "Tag", type: .text(multiline: false))])
        ]
        for (path, type, property) in [
            ("start", QuestionType.dateTime, "now"), ("end", .dateTime, "now"),
            ("today", .date, "today"), ("device", .text(multiline: false), "deviceid"),
            ("name", .text(multiline: false), "instanceID"),
            ("user", .text(multiline: false), "username"),
        ] {
            var question = Question(path: path, label: path, type: type, merge: "lww")
            question.isHidden = true
            parts.hidden.append(question)
            parts.actions.append(
                FormAction(
                    events: [path == "end" ? .finish : .firstLoad], target: path,
                    value: .property(property)))
        }
        try device.store.store(form: try FormDefinition(parts))
        let id = try device.store.createInspection(form: "laid", version: "1", asset: nil)
        device.clock.advance(seconds: 90)
        try device.answer(id, ("tag", "F-17"))
        try device.store.complete(id)
        for (path, value) in [
            ("start", "2026-03-02T01:00:00.000-07:00"), ("end", "2026-03-02T01:01:30.000-07:00"),
            ("today", "2026-03-02"), ("device", "device-1"), ("name", "uuid:" + id.rawValue),
        ] {
            #expect(try device.value(path, of: id) == .string(value))
        }
        #expect(try device.value("user", of: id) == .null)
        try device.finish()
    }
}
