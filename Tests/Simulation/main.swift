import Foundation

// walkdown-sim: see README.md.

let words = Array(CommandLine.arguments.dropFirst())
if words.contains("--help") || words.contains("-h") {
    print(Options.usage)
    exit(0)
}
if words == ["--list"] {
    for fault in Fault.allCases { print("fault  \(fault.rawValue): \(fault.meaning)") }
    for mutant in Mutant.allCases { print("mutant \(mutant.rawValue): \(mutant.meaning)") }
    exit(0)
}
do {
    let options = try Options(words)
    if options.isStorm { exit(try StormRun.run(options) ? 0 : 1) }
    if options.stride != nil {
        try Runner(options).run()
        exit(0)
    }
    let began = ContinuousClock.now
    if let states = options.powerCuts {
        let cuts = try PowerCuts(options, states: states)
        try cuts.run()
        for failure in cuts.failures { print(failure) }
        let seconds = began.duration(to: .now) / .seconds(1)
        print("\(cuts.writesOfADay) writes, \(cuts.rebuilt) stores made anew")
        print("\(Int(seconds.rounded())) s")
        print("\(cuts.tried - cuts.failures.count) passed, \(cuts.failures.count) failed")
        exit(cuts.failures.isEmpty && cuts.tried == states ? 0 : 1)
    }
    let (passed, failed) = Workforce(options).run()
    let seconds = began.duration(to: .now) / .seconds(1)
    print("\(Int(seconds.rounded())) s")
    print("\(passed) passed, \(failed) failed")
    exit(failed == 0 ? 0 : 1)
} catch let misuse as Options.Misuse {
    FileHandle.standardError.write(Data("\(misuse.sentence)\n\(Options.usage)\n".utf8))
    exit(2)
}
