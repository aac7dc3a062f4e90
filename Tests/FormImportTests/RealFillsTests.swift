import Coding
import Foundation
import TestSupport
import Testing

@testable import FormImport
@testable import Forms

/// Fills every form of the folder that `WALKDOWN_FORMS` names, by seed.
@Suite("Real forms are filled at random", .enabled(if: RealForms.folder != nil))
struct RealFillsTests {
    @Test("each step leaves what a full evaluation gives")
    func fills() throws {
        var slowest: (String, Duration) = ("", .zero)
        for (row, name) in try RealForms.readable() where row.validator == "0" {
            let bytes = try RealForms.bytes(name)
            let form = try FormCompiler.compile(FormFile.read(bytes, name: name)).definition
            for seed in 0..<2 {
                var fill = RandomFill(form, seed: UInt64(seed))
                let time = try fill.run(steps: 12, name: name)
                if time > slowest.1 { slowest = (name, time) }
            }
        }
        print("slowest change: \(slowest)")
    }
}

struct RandomFill {
    private var filling: FormFilling
    private var random: SeededRandom
    private var rows = 0
    private let seed: UInt64

    init(_ form: FormDefinition, seed: UInt64) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        filling = FormFilling(form, in: .looking(at: 1_780_000_000_000))
    }

    /// - Returns: what the slowest change took.
    mutating func run(steps: Int, name: String) throws -> Duration {
        var slowest = Duration.zero
        _ = filling.begin(newID: rowIDs())
        for step in 0..<steps {
            let time = ThreadTime.measure { change() }
            slowest = max(slowest, time)
            check("\(name), seed \(seed), step \(step)")
        }
        return slowest
    }

    private mutating func change() {
        let repetitions = filling.form.repetitions
        if !repetitions.isEmpty, random.oneIn(4) {
            if random.oneIn(3), !filling.answers.rows.isEmpty {
                _ = filling.remove(row: random.pick(filling.answers.rows).id)
                return
            }
            add(random.pick(repetitions))
            return
        }
        let keys = filling.nodes.questions.indices.compactMap { index -> AnswerKey? in
            guard let question = filling.nodes.questions[index] else { return nil }
            let asked = filling.form.allQuestions[question]
            guard !asked.isHidden, asked.type.takesAnswer else { return nil }
            let key = filling.nodes.key(at: index)
            return filling.isRelevant(key) ? key : nil
        }
        guard !keys.isEmpty else { return }
        let key = random.pick(keys)
        filling.set(value(for: key), at: key)
    }

    private mutating func add(_ repetition: Repetition) {
        let outer = filling.form.repetition(around: repetition.path)
        let parents = outer.map { outer in filling.answers.rows.filter { $0.path == outer.path } }
        if let parents, parents.isEmpty { return }
        rows += 1
        _ = filling.add(
            FormAnswers.Row(
                id: "row\(rows)", parent: parents.map { random.pick($0).id },
                path: repetition.path))
    }

    private mutating func value(for key: AnswerKey) -> FieldValue {
        guard !random.oneIn(8), let question = filling.form.question(named: key.path) else {
            return .null
        }
        switch question.type {
        case .integer: return .integer(Int64(random.below(120)) - 10)
        case .decimal: return .double(Double(random.below(4000)) / 8)
        case .choice, .verdict, .choices, .ranking:
            let offered = filling.offered(at: key)
            return offered.isEmpty ? .null : .string(random.pick(offered).name)
        case .date: return .string("2026-0\(1 + random.below(9))-1\(random.below(10))")
        case .time: return .string("1\(random.below(10)):00:00")
        case .dateTime: return .string("2026-03-1\(random.below(10))T09:30:00.000+01:00")
        case .point: return .string("52.\(random.below(100)) 4.3 0 0")
        case .acknowledge: return .string("OK")
        default: return .string("text \(random.below(5))")
        }
    }

    /// Against an evaluation of all, from the answers alone.
    private func check(_ place: String) {
        let fresh = FormFilling(
            filling.form, answers: filling.answers, in: .looking(at: 1_780_000_000_000))
        #expect(fresh.answers == filling.answers, "\(place)")
        #expect(fresh.state == filling.state, "\(place)")
        #expect(fresh.checks == filling.checks, "\(place)")
        for fault in filling.faults {
            Issue.record("\(place): \(fault)")
        }
    }
}
