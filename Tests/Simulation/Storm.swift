import Foundation
import Sync

/// Many devices whose changes wait come back after an outage: the real machine and schedule of each,
/// the real merge, simulated sockets and virtual time.
final class Storm {
    /// How it ends that nobody hears the server.
    enum Ending: String, CaseIterable {
        /// The server comes back, each device notices by its own retries.
        case server
        /// The network comes back, and the kernel of each device says so at the same moment.
        case network
    }

    struct Figures {
        var requests = 0
        var refused = 0
        /// From the first request to the last, but at most `window`: the rest are stragglers, whose
        /// own waits had become long.
        var seconds = 0
        /// Requests in a second of these.
        var mean = 0.0
        /// In the fullest second but the first.
        var peak = 0
        var peakAt = 0
        /// Requests in the first second.
        var first = 0
        /// From the first request to the last, with all stragglers.
        var wholeSeconds = 0
        /// The fullest second of all, the first too, over the mean of the whole time.
        var wholeRatio = 0.0
        /// Milliseconds from a request's arrival to its answer.
        var p99: Int64 = 0

        var ratio: Double { mean > 0 ? Double(peak) / mean : 0 }
    }

    let timeline = Timeline()
    let server: StormServer
    var dice: Dice
    private var devices: [StormDevice] = []
    private let mutations: Int

    static let outage: Int64 = 45_000
    /// So long the server is there and says that it cannot work yet.
    static let start: Int64 = 5_000
    /// So long devices come back in numbers, in seconds.
    static let window = 60
    /// Nobody waits longer than this in the end.
    static let patience: Int64 = 600_000

    init(devices count: Int, mutations: Int, seed: UInt64, folder: String) throws {
        dice = Dice(seed: seed)
        self.mutations = mutations
        server = try StormServer(folder: folder, devices: count, on: timeline, seed: dice.next())
        for index in 0..<count {
            devices.append(StormDevice(index, mutations: mutations, in: self))
        }
    }

    func latency() -> Int64 { Int64(dice.within(20...250)) }

    /// - Throws: `Violation` where a change is lost or doubled, or a device comes too early.
    func run(_ ending: Ending) throws -> Figures {
        // The outage takes all of them at once.
        for device in devices { device.wake(.edited) }
        try advance(to: Self.outage)
        switch ending {
        case .server:
            server.state = .starting
            try advance(to: Self.outage + Self.start)
            server.state = .working
        case .network:
            for device in devices { device.wake(.reconnected) }
            // The first second is the one in which all of them come.
            try advance(to: timeline.now + Schedule.Timing().afterReconnect)
            server.state = .working
        }
        let end = timeline.now + Self.patience
        while devices.contains(where: { !$0.isDone }), timeline.now < end {
            try advance(to: timeline.now + 1000)
        }
        try check()
        return figures()
    }

    private func advance(to instant: Int64) throws {
        while try timeline.step(until: instant) {}
    }

    private func check() throws {
        for device in devices {
            guard device.isDone else {
                throw Violation("a device does not come through", "device \(device.index)")
            }
            guard device.queue.settled.count == mutations else {
                throw Violation("a device was not told", "device \(device.index)")
            }
        }
        try server.check(devices: devices.count, mutationsEach: mutations)
    }

    private func figures() -> Figures {
        var figures = Figures()
        let first = server.arrivals.min() ?? 0
        let last = server.arrivals.max() ?? 0
        let count = min(Self.window, Int((last - first) / 1000) + 1)
        var buckets = [Int](repeating: 0, count: count)
        for instant in server.arrivals where instant < first + Int64(count) * 1000 {
            buckets[Int((instant - first) / 1000)] += 1
        }
        figures.requests = server.arrivals.count
        figures.refused = server.refused
        figures.seconds = count
        figures.mean = Double(buckets.reduce(0, +)) / Double(count)
        let rest = buckets.indices.dropFirst()
        figures.peakAt = rest.max { buckets[$0] < buckets[$1] } ?? 0
        figures.peak = rest.isEmpty ? 0 : buckets[figures.peakAt]
        figures.first = buckets.first ?? 0
        figures.wholeSeconds = Int((last - first) / 1000) + 1
        let wholeMean = Double(figures.requests) / Double(figures.wholeSeconds)
        figures.wholeRatio = Double(buckets.max() ?? 0) / wholeMean
        let delays = server.delays.sorted()
        if !delays.isEmpty { figures.p99 = delays[delays.count * 99 / 100] }
        return figures
    }
}

/// `walkdown-sim --storm`.
enum StormRun {
    static let goals = "no second but the first above 3 x the mean, p99 under 2 s"

    /// - Returns: whether everything held.
    static func run(_ options: Options) throws -> Bool {
        var holds = true
        for ending in Storm.Ending.allCases {
            var template = Array((NSTemporaryDirectory() + "/walkdown-storm-XXXXXX").utf8CString)
            guard mkdtemp(&template) != nil else { throw GroundFailure("cannot make a folder") }
            let folder = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let storm = try Storm(
                devices: options.devices, mutations: 20, seed: options.start, folder: folder)
            do {
                let figures = try storm.run(ending)
                say(line(figures, ending))
                holds = holds && figures.ratio <= 3 && figures.p99 < 2000
            } catch let violation as Violation {
                say("\(ending.rawValue): \(violation)")
                holds = false
            }
        }
        say(holds ? "ok: \(goals)" : "MISSED: \(goals)")
        return holds
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    private static func line(_ figures: Storm.Figures, _ ending: Storm.Ending) -> String {
        let mean = (figures.mean * 10).rounded() / 10
        let ratio = (figures.ratio * 100).rounded() / 100
        let wholeRatio = (figures.wholeRatio * 100).rounded() / 100
        return "\(ending.rawValue): requests \(figures.requests) refused \(figures.refused)"
            + " seconds \(figures.seconds) mean \(mean) peak \(figures.peak) at \(figures.peakAt)"
            + " ratio \(ratio) p99 \(figures.p99) first \(figures.first)"
            + " wholeSeconds \(figures.wholeSeconds) wholeRatio \(wholeRatio)"
    }
}
