import Foundation

/// What the command line asks for.
struct Options {
    var seeds = 100
    var start: UInt64 = 1
    var faults: [Fault] = []
    var mutant: Mutant?
    var jobs = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Tells the whole story of each run.
    var tellsStory = false
    /// Checks after everything that happens, to see where something begins to be wrong.
    var isCareful = false
    /// So many states after a power cut, in place of the seeds.
    var powerCuts: Int?
    /// Draws incidents as well. Without them a seed is the run that it was before there were any.
    var hasIncidents = false
    /// Instead of seeds: so many devices come back after an outage.
    var isStorm = false
    var devices = 1000
    /// Of a process that runs seeds for another one: every so many-th.
    var stride: UInt64?

    static let usage = """
        Usage: walkdown-sim [--seeds N] [--start S] [--fault NAME] [--mutant NAME] [--jobs N]
                            [--incidents] [--story] [--careful] [--list]
               walkdown-sim --storm [--devices N] [--start S]
               walkdown-sim --power-cuts N [--start S] [--mutant NAME]

        Runs so many simulations of devices, network and server, one by each seed from S on, and
        ends with the line `N passed, N failed`. Exit status 0 only if none failed.

          --fault NAME   nothing else goes wrong; --list shows the names
          --mutant NAME  with a broken variant built in; has to fail
          --jobs N       so many runs at once; all processors by default
          --incidents    also a restored server, a cloned home, damaged files, upgrades
          --story        tells what happens in each run
          --storm        so many devices (1000) come back after an outage, by seed S: how many requests
                         reach the server in which second; exit status 0 if the goals hold
          --careful      checks after everything that happens, which takes long
          --power-cuts N one day of a device; the power goes at each of its writes, and so many of
                         the states that its disk can have then are opened
        """

    struct Misuse: Error {
        var sentence: String
    }

    init(_ words: [String]) throws(Misuse) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--seeds": seeds = try Self.number(word, rest.popFirst())
            case "--start": start = UInt64(try Self.number(word, rest.popFirst()))
            case "--power-cuts": powerCuts = try Self.number(word, rest.popFirst())
            case "--jobs": jobs = max(1, try Self.number(word, rest.popFirst()))
            case "--stride": stride = UInt64(try Self.number(word, rest.popFirst()))
            case "--story": tellsStory = true
            case "--careful": isCareful = true
            case "--incidents": hasIncidents = true
            case "--storm": isStorm = true
            case "--devices": devices = max(1, try Self.number(word, rest.popFirst()))
            case "--fault":
                faults.append(
                    try Self.name(word, rest.popFirst(), Fault.init(rawValue:)))
            case "--mutant":
                mutant = try Self.name(word, rest.popFirst(), Mutant.init(rawValue:))
            default: throw Misuse(sentence: "unknown option \(word)")
            }
        }
    }

    private static func number(_ option: String, _ word: String?) throws(Misuse) -> Int {
        guard let word, let number = Int(word), number >= 0 else {
            throw Misuse(sentence: "\(option) wants a number")
        }
        return number
    }

    private static func name<Value>(
        _ option: String, _ word: String?, _ find: (String) -> Value?
    ) throws(Misuse) -> Value {
        guard let word, let value = find(word) else {
            throw Misuse(sentence: "\(option) wants a name that --list shows")
        }
        return value
    }

    /// Such that the same seed gives the same run.
    func words(start: UInt64, stride: UInt64, seeds: Int) -> [String] {
        var words = [
            "--start", "\(start)", "--seeds", "\(seeds)", "--stride", "\(stride)",
        ]
        for fault in faults { words += ["--fault", fault.rawValue] }
        if let mutant { words += ["--mutant", mutant.rawValue] }
        if tellsStory { words.append("--story") }
        if isCareful { words.append("--careful") }
        if hasIncidents { words.append("--incidents") }
        return words
    }
}
