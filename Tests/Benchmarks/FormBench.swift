import Coding
import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit

/// `form_answer` and `long_list`: the screen's own work, without disk and terminal. One answer, with the
/// frame after it, in a form of 700 questions that depend on each other (`form_eval` has the evaluation
/// alone); and a list of 50,000 choices that hangs on another answer, from the key that opens it to its
/// first page, and from each key that narrows it.
enum FormBench {
    static func measureAnswer(answers: Int = 300) throws -> Figure {
        var bench = try Bench(form: chained(questions: 700))
        var sample = Sample()
        for number in 0..<answers {
            bench.go(to: AnswerKey("q\(number % 690)"))
            bench.press(.character("1"))
            sample.time { bench.press(.enter) }
        }
        return Figure(
            name: "form_answer",
            readings: [
                .init(label: "p50", value: sample.p50, unit: "ms"),
                .init(label: "p99", value: sample.p99, unit: "ms"),
            ],
            goals: [.init(text: "p99 under 5 ms, with its frame", holds: sample.p99 < 5)])
    }

    static func measureList(rounds: Int = 5) throws -> Figure {
        var bench = try Bench(form: villages(50_000))
        var pages = Sample()
        var keys = Sample()
        for _ in 0..<rounds {
            bench.go(to: AnswerKey("region"))
            bench.press(.character("2"))
            bench.go(to: AnswerKey("region"))
            pages.time {
                bench.press(.character("1"))
                bench.press(.enter)
            }
            for key in "village 49".unicodeScalars {
                keys.time { bench.press(.character(key)) }
            }
            for _ in 0..<10 { keys.time { bench.press(KeyEvent(.backspace)) } }
            bench.press(.escape)
        }
        return Figure(
            name: "long_list",
            readings: [
                .init(label: "first page p50", value: pages.p50, unit: "ms"),
                .init(label: "first page p99", value: pages.p99, unit: "ms"),
                .init(label: "filter key p50", value: keys.p50, unit: "ms"),
                .init(label: "filter key p99", value: keys.p99, unit: "ms"),
            ],
            goals: [
                .init(text: "first page within 100 ms", holds: pages.p99 < 100),
                .init(text: "filter key within 50 ms", holds: keys.p99 < 50),
            ])
    }

    /// Every tenth is a sum over those before it, every seventh is asked under a condition.
    private static func chained(questions count: Int) throws -> FormDefinition {
        let questions = try (0..<count).map { number in
            var question = Question(path: "q\(number)", label: "Q \(number)", type: .integer)
            if number > 10, number % 10 == 9 {
                let terms = (number - 9..<number).map { "/data/q\($0)" }.joined(separator: " + ")
                question.rules.calculate = try FormExpression(terms)
            } else if number > 10, number % 7 == 0 {
                question.rules.relevant = try FormExpression("/data/q\(number - 3) != 5")
            }
            return question
        }
        return try FormDefinition(
            id: "chain", version: "1", title: "Chain",
            sections: [Section(name: "all", title: "All", questions: questions)])
    }

    /// All but ten of them in the first region.
    private static func villages(_ count: Int) throws -> FormDefinition {
        var parts = FormParts(id: "census", version: "1", title: "Census")
        let names = (0..<count).map { "v\($0)" }
        let items = names.indices.map { index in
            NodeContent(
                "item",
                children: [
                    NodeContent("name", text: names[index]),
                    NodeContent("region", text: index < count - 10 ? "north" : "south"),
                ])
        }
        parts.lists = ["villages": NodeContent("root", children: items)]
        var village = Question(
            path: "village", label: "Village", type: .choice,
            choices: names.indices.map { Choice(name: names[$0], label: "Village \($0)") })
        village.filter = ChoiceFilter(
            nodeset: try FormExpression(
                "instance('villages')/root/item[region = /data/region]"),
            valueName: "name")
        let region = Question(
            path: "region", label: "Region", type: .choice,
            choices: ["north", "south"].map { Choice(name: $0, label: $0) })
        parts.sections = [
            Section(name: "place", title: "Place", questions: [region, village])
        ]
        return try FormDefinition(parts)
    }

    /// A person before the screen; each key ends with the frame that it leads to.
    private struct Bench {
        private var state: AppState
        private var scroll = Scroll()
        private let now = Moment(uptime: 1_000, wall: 1_772_438_400_000, today: nil)
        private let size = Size(columns: 80, rows: 24)
        private let id = RecordID("inspection")

        init(form: FormDefinition) throws {
            state = AppState(now: now)
            _ = update(&state, .unlocked)
            let row = WorklistRow(
                id: id, name: "A", site: "B", form: form.title, due: nil, state: .inProgress,
                badge: .synced, answered: 0, total: 0)
            _ = update(&state, .worklist([row]))
            press(.enter)
            let picture = InspectionPicture(
                id: id, name: "A", site: "B", form: form, state: .inProgress)
            _ = update(&state, .inspection(picture))
        }

        mutating func press(_ key: KeyEvent) {
            _ = update(&state, .input(.key(key), now))
            let look = Look(tier: .utf8, theme: .named(.auto, colour: true))
            _ = render(state, size: size, look: look, scroll: &scroll)
        }

        mutating func go(to key: AnswerKey) {
            guard case .inspection(var screen) = state.layers.top else { return }
            screen.go(to: key)
            state.layers.top = .inspection(screen)
        }
    }
}
