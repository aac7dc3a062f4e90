import Foundation

/// `key_to_paint`: from a key's byte to the first byte of what it painted, over a pseudo-terminal,
/// in the built application with a form of 300 questions; beside ncurses echoing keys.
enum KeyToPaint {
    static func measure(keys: Int = 500) throws -> Figure {
        let bench = try BenchDevice(questions: 300)
        let echo = try measureEcho(keys: keys)
        let application = try bench.openApplication()
        defer { application.end() }
        try openInspection(application)
        let moving = try sample(application, keys: keys) { number in
            number / 100 % 2 == 0 ? "\u{1B}[B" : "\u{1B}[A"
        }
        return figure(moving, echo)
    }

    /// Opens the one inspection of the worklist and waits until its questions stand still.
    private static func openInspection(_ application: TerminalProcess) throws {
        application.type("\r")
        guard application.waitUntilIdle(seconds: 10) else {
            throw BenchFailure.program("the inspection did not open")
        }
    }

    private static func measureEcho(keys: Int) throws -> Sample {
        let echo = try TerminalProcess(Programs.own, ["--ncurses-echo"], saysIdle: false)
        defer { echo.end() }
        while !echo.painted(within: 500).isEmpty {}
        return try sample(echo, keys: keys) { number in
            String(UnicodeScalar(UInt8(ascii: "a") + UInt8(number % 16)))
        }
    }

    private static func sample(
        _ program: TerminalProcess, keys: Int, _ key: (Int) -> String
    ) throws -> Sample {
        let clock = ContinuousClock()
        var sample = Sample()
        for number in 0..<keys {
            let start = clock.now
            program.type(key(number))
            guard !program.painted(within: 2000).isEmpty else {
                throw BenchFailure.program("a key painted nothing within 2 s")
            }
            sample.add(clock.now - start)
            while !program.painted(within: 2).isEmpty {}
        }
        return sample
    }

    private static func figure(_ ours: Sample, _ echo: Sample) -> Figure {
        Figure(
            name: "key_to_paint",
            readings: [
                .init(label: "p50", value: ours.p50, unit: "ms"),
                .init(label: "p95", value: ours.p95, unit: "ms"),
                .init(label: "p99", value: ours.p99, unit: "ms"),
                .init(label: "bare ncurses p50", value: echo.p50, unit: "ms"),
                .init(label: "bare ncurses p99", value: echo.p99, unit: "ms"),
            ],
            goals: [
                .init(text: "p95 within 2 ms", holds: ours.p95 <= 2),
                .init(text: "p99 within 16 ms", holds: ours.p99 <= 16),
            ])
    }
}
