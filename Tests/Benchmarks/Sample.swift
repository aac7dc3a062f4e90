/// Durations of one thing done many times, in milliseconds.
struct Sample {
    private var milliseconds: [Double] = []

    var count: Int { milliseconds.count }
    var p50: Double { percentile(50) }
    var p95: Double { percentile(95) }
    var p99: Double { percentile(99) }

    mutating func add(_ duration: Duration) {
        milliseconds.append(duration.milliseconds)
    }

    mutating func time(_ body: () throws -> Void) rethrows {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        add(clock.now - start)
    }

    /// The nearest-rank percentile.
    func percentile(_ rank: Int) -> Double {
        precondition(!milliseconds.isEmpty, "nothing was measured")
        let ordered = milliseconds.sorted()
        let index = (ordered.count * rank + 99) / 100
        return ordered[min(max(index, 1), ordered.count) - 1]
    }
}

extension Duration {
    var milliseconds: Double { seconds * 1000 }

    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

func elapsed(_ body: () throws -> Void) rethrows -> Duration {
    let clock = ContinuousClock()
    let start = clock.now
    try body()
    return clock.now - start
}

func median(_ values: [Double]) -> Double {
    let ordered = values.sorted()
    precondition(!ordered.isEmpty, "nothing was measured")
    return ordered[ordered.count / 2]
}
