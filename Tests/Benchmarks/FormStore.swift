import Coding
import Forms
import LocalStore

/// `form_store`: what it costs a device to keep a form with a list of 50,000 places, as it does when a
/// synchronisation brings one: the first time, the same again, and a second version of it.
enum FormStore {
    static func measure() throws -> Figure {
        let bench = try BenchHome()
        let parts = try FormEval.cascadeForm()
        var second = parts
        second.version = "2"
        let forms = [
            try FormDefinition(parts), try FormDefinition(parts), try FormDefinition(second),
        ]
        var milliseconds: [Double] = []
        for form in forms {
            milliseconds.append(try elapsed { try bench.store.store(form: form) }.milliseconds)
        }
        try bench.store.close()
        let text = forms[0].json.serialized()
        var reading = Sample()
        var parsing = Sample()
        for _ in 0..<5 {
            try parsing.time { _ = try JSON.parse(text) }
            try reading.time { _ = try FormDefinition(json: JSON.parse(text)) }
        }
        let labels = ["first", "again", "second version"]
        return Figure(
            name: "form_store (\(FormEval.places) choices)",
            readings: zip(labels, milliseconds).map {
                .init(label: $0, value: $1, unit: "ms")
            } + [
                .init(label: "read p50", value: reading.p50, unit: "ms"),
                .init(label: "bound: its JSON parsed p50", value: parsing.p50, unit: "ms"),
            ],
            goals: [
                .init(
                    text: "reading at most 4 times its JSON",
                    holds: reading.p50 < 4 * parsing.p50),
                .init(text: "each under a second", holds: milliseconds.allSatisfy { $0 < 1000 }),
            ])
    }
}
