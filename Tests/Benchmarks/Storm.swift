/// `storm`: a thousand devices with 20 changes each come back after an outage, once because the server
/// is there again and once because the network is. Virtual time and simulated sockets, the real
/// schedule, cycle and merge: `walkdown-sim --storm`.
enum Storm {
    static func measure() throws -> Figure {
        let output = try Programs.run(Programs.simulation, ["--storm"], accepting: [0, 1])
        let lines = output.split(separator: "\n").map(String.init)
        let endings = lines.compactMap(Ending.init(line:))
        let readings = endings.flatMap { ending in
            ["ratio", "peak", "mean", "p99"].map { label in
                Figure.Reading(
                    label: "\(ending.name) \(label)", value: ending.values[label] ?? .nan,
                    unit: units[label] ?? "")
            }
        }
        return Figure(
            name: "storm (1000 devices x 20 mutations)", readings: readings,
            goals: [
                .init(text: "nothing lost or doubled", holds: endings.count == 2),
                .init(
                    text: "no second but the first above 3 x the mean",
                    holds: endings.allSatisfy { $0.values["ratio"] ?? .infinity <= 3 }),
                .init(
                    text: "p99 under 2 s",
                    holds: endings.allSatisfy { $0.values["p99"] ?? .infinity < 2000 }),
            ])
    }

    private static let units = [
        "ratio": "x", "peak": "requests/s", "mean": "requests/s", "p99": "ms",
    ]

    /// One line of the program: `server: requests 5231 refused 12 … ratio 1.8 p99 240`.
    private struct Ending {
        var name: String
        var values: [String: Double] = [:]

        init?(line: String) {
            let words = line.split(separator: " ").map(String.init)
            guard let first = words.first, first.hasSuffix(":"), words.contains("ratio") else {
                return nil
            }
            name = String(first.dropLast())
            for (label, word) in zip(words.dropFirst(), words.dropFirst(2)) {
                if let value = Double(word) { values[label] = value }
            }
        }
    }
}
