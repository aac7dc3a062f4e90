import Coding

/// One line of the report: what was measured, what bounds it in the same run, and the goal.
///
/// The machine is noisy, so a goal is a ratio to the bound wherever one exists; an absolute goal
/// stands beside it where people feel the absolute number.
struct Figure {
    var name: String
    /// What was measured, in the order in which it is printed.
    var readings: [Reading]
    var goals: [Goal]

    struct Reading {
        var label: String
        var value: Double
        var unit: String
    }

    struct Goal {
        var text: String
        var holds: Bool
    }

    func reading(_ label: String) -> Double? {
        readings.first { $0.label == label }?.value
    }
}

extension Figure {
    var line: String {
        let measured = readings.map { "\($0.label) \(rounded($0.value)) \($0.unit)" }
        let judged = goals.map { ($0.holds ? "ok: " : "MISSED: ") + $0.text }
        return name + "\n  " + measured.joined(separator: ", ") + "\n"
            + judged.map { "  " + $0 + "\n" }.joined()
    }

    var json: JSON {
        .object([
            "name": .string(name),
            "readings": .array(
                readings.map { reading in
                    .object([
                        "label": .string(reading.label), "value": .double(reading.value),
                        "unit": .string(reading.unit),
                    ])
                }),
            "goals": .array(
                goals.map { .object(["text": .string($0.text), "holds": .bool($0.holds)]) }),
        ])
    }
}

/// Three significant digits: more would be noise.
func rounded(_ value: Double) -> String {
    guard value.isFinite else { return "none" }
    if abs(value) >= 100 { return String(Int64(value.rounded())) }
    let places = abs(value) >= 10 ? 10.0 : abs(value) >= 1 ? 100.0 : 1000.0
    return String((value * places).rounded() / places)
}
