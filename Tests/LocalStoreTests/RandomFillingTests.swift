import Coding
import Forms
import Replication
import TestSupport
import Testing

@testable import LocalStore

@Suite("Fillings by seed")
struct RandomFillingTests {
    @Test(
        "What is stored is what a fresh evaluation of the stored answers comes to",
        arguments: 1...12 as ClosedRange<UInt64>)
    func fill(seed: UInt64) throws {
        let (device, id) = try Device.withRound()
        let server = StoryServer()
        server.policies = [:]
        var random = SeededRandom(seed: seed)
        for step in 0..<60 {
            try takeStep(on: device, id, &random)
            if random.oneIn(10) { try device.sync(server) }
            if random.oneIn(12) { try device.reopen() }
            try expectSame(device, id, "seed \(seed), step \(step)")
        }
        try device.sync(server)
        try device.expectNothingPending(server)
        try expectSame(device, id, "seed \(seed), at the end")
        try device.finish()
    }

    private func expectSame(_ device: Device, _ id: RecordID, _ comment: Comment) throws {
        let filling = try device.store.filling(of: id)
        let detail = try device.store.inspection(id)
        let stored = FormAnswers(
            detail.answers,
            rows: detail.rows.map { row in
                FormAnswers.Row(
                    id: row.id.rawValue, parent: row.parent?.rawValue, path: row.path,
                    fields: row.fields.mapValues(\.value).filter { !$0.value.isNull })
            })
        // The name of the instance is made by chance; the store holds it fast.
        let computed = filling.changes(from: stored).filter { $0.path != "meta/instanceID" }
        #expect(computed.isEmpty, comment)
        #expect(stored.rows.map(\.id) == filling.answers.rows.map(\.id), comment)
        #expect(detail.answers["meta/instanceID"] == .string("uuid:" + id.rawValue), comment)
    }

    /// An answer, a row more or a row less; what the form refuses is no step.
    private func takeStep(
        on device: Device, _ id: RecordID, _ random: inout SeededRandom
    ) throws {
        let filling = try device.store.filling(of: id)
        let change: AnswerChange
        switch random.below(8) {
        case 0:
            let doors = filling.answers.rows.filter { $0.path == "door" }
            let parent = doors.isEmpty || random.oneIn(2) ? nil : random.pick(doors).id
            change = .add(
                row: device.store.newRowID(), path: parent == nil ? "door" : "door/hinge",
                parent: parent)
        case 1 where !filling.answers.rows.isEmpty:
            change = .remove(row: random.pick(filling.answers.rows).id)
        default:
            let question = random.pick(filling.form.allQuestions)
            let repetition = filling.form.repetition(around: question.path)
            let rows = filling.answers.rows.filter { $0.path == repetition?.path }
            if repetition != nil && rows.isEmpty { return }
            let row = repetition == nil ? nil : random.pick(rows).id
            change = .answer(
                AnswerKey(row: row, question.path), value(for: question, &random))
        }
        do {
            try device.store.change(id, by: [change], agreed: true)
        } catch is AnswerRefusal {
            return
        }
    }

    private func value(for question: Question, _ random: inout SeededRandom) -> FieldValue {
        if random.oneIn(6) { return .null }
        switch question.type {
        case .integer: return .integer(Int64(random.below(5)))
        case .decimal: return FieldValue.double(Double(random.below(200)) / 2).canonical
        case .choice: return .string(random.pick(question.choices).name)
        case .choices:
            return .string(
                question.choices.map(\.name).filter { _ in random.oneIn(2) }
                    .joined(separator: " "))
        case .time: return .string("14:0\(random.below(10)):00")
        case .acknowledge: return .string("OK")
        case .point: return .string("52.1 4.\(random.below(10)) 0 12")
        default: return .string("text \(random.below(5))")
        }
    }
}
