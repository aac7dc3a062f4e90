import Foundation

/// Runs seeds one after another in this process.
final class Runner {
    private let options: Options
    private let ground: Ground
    private let fibers: [Fiber]
    private static let longestStory = 80

    init(_ options: Options) throws {
        self.options = options
        ground = try Ground(mutant: options.mutant)
        fibers = (0..<Ground.mostDevices + Ground.mostCopies).map { _ in Fiber() }
    }

    func run() {
        defer { ground.remove() }
        let stride = options.stride ?? 1
        for count in 0..<UInt64(options.seeds) {
            let seed = options.start + count * stride
            say("begin \(seed)")
            report(seed)
        }
    }

    private func report(_ seed: UInt64) {
        let (failure, lines) = result(of: seed, keepsStory: options.tellsStory)
        if options.tellsStory { for line in lines { say("  " + line) } }
        guard let failure else { return say("passed \(seed)") }
        say("  seed \(seed) failed: \(failure)")
        if !options.tellsStory { tellAgain(seed, failure) }
        say("failed \(seed)")
    }

    /// The same run once more, this time with its story.
    private func tellAgain(_ seed: UInt64, _ failure: String) {
        let (again, lines) = result(of: seed, keepsStory: true)
        if again != failure {
            say("  the second run of it ended otherwise: \(again ?? "it passed")")
        }
        if lines.count > Self.longestStory { say("  … \(lines.count - Self.longestStory) lines") }
        for line in lines.suffix(Self.longestStory) { say("  " + line) }
        let mutant = options.mutant.map { " --mutant \($0.rawValue)" } ?? ""
        let fault = options.faults.map { " --fault \($0.rawValue)" }.joined()
        let incidents = options.hasIncidents ? " --incidents" : ""
        say(
            "  once more: walkdown-sim --seeds 1 --start \(seed)\(fault)\(mutant)\(incidents) --story"
        )
    }

    private func result(of seed: UInt64, keepsStory: Bool) -> (String?, [String]) {
        defer { Disk.forgetAll() }
        var story: Story?
        do {
            let world = try World(
                seed: seed, ground: ground, fibers: fibers, options, keepsStory: keepsStory)
            story = world.story
            try world.run()
            return (nil, world.story.lines)
        } catch {
            return ("\(error)", story?.lines ?? [])
        }
    }

    private func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
