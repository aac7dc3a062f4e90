import Foundation
import Testing

/// Runs the simulation as people do, for a short while; CI runs more of the release build.
@Suite("The simulation", .serialized, .timeLimit(.minutes(10)))
struct SimulationTests {
    @Test("seeds pass, and the last line says how many")
    func seeds() throws {
        let run = try SimulationRun("--seeds", "8")
        #expect(run.lastLine == "8 passed, 0 failed", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test("a seed that failed once never fails again", arguments: FailedSeeds.all)
    func failedOnce(seed: FailedSeed) throws {
        let run = try SimulationRun(["--seeds", "1", "--start", "\(seed.number)"] + seed.words)
        #expect(run.status == 0, "\(seed.story)\n\(run.output)")
    }

    @Test(
        "a broken variant is caught within so many seeds",
        arguments: [
            ["base-of-decision-forgotten"], ["ack-by-row"], ["plain-sequence"], ["unequal-trigger"],
            ["arrival-order"],
            ["synchronous-normal", "--fault", "power-cut"],
            ["bases-believed", "--fault", "server-restore"],
            ["acknowledged-forgotten", "--fault", "server-restore"],
            [
                "deletions-forgotten", "--fault", "server-restore", "--fault", "deletion",
                "--start", "15",
            ],
            ["fork-unnoticed", "--fault", "cloned-home"],
            ["stale-journal", "--fault", "database-damage"],
            ["careless-migration", "--fault", "migration"],
        ])
    func mutants(words: [String]) throws {
        let run = try SimulationRun(["--seeds", "6", "--mutant"] + words)
        #expect(run.status == 1, "\(words) was not caught")
        #expect(run.output.contains("once more: walkdown-sim --seeds 1 --start"))
        #expect(!run.output.contains("ended otherwise"), "\(run.output)")
    }

    /// CI tries 2,000 states of the release build; `WALKDOWN_POWER_CUTS=100000` as many as a release.
    private static let powerCuts =
        ProcessInfo.processInfo.environment["WALKDOWN_POWER_CUTS"] ?? "400"

    @Test("R-3 F43 a power cut at any write: what was called saved is there, and nothing is twice")
    func powerCuts() throws {
        let run = try SimulationRun("--power-cuts", Self.powerCuts)
        #expect(run.lastLine == "\(Self.powerCuts) passed, 0 failed", "\(run.output)")
        #expect(run.status == 0)
    }

    @Test("R-3 a store that commits edits without waiting for the disk is caught by a power cut")
    func powerCutMutant() throws {
        let run = try SimulationRun("--power-cuts", "400", "--mutant", "synchronous-normal")
        #expect(run.status == 1, "\(run.output)")
        #expect(run.output.contains("an edit is lost"), "\(run.output)")
    }

    @Test("the same seed is the same run")
    func determinism() throws {
        let runs = try (1...2).map { _ in
            try SimulationRun("--seeds", "2", "--start", "7", "--jobs", "1", "--story")
        }
        // But for how long it took.
        let stories = runs.map { $0.lines.filter { $0.hasPrefix("  ") } }
        #expect(stories[0].count > 500)
        #expect(stories[0] == stories[1])
    }

    @Test(
        "each thing that happens once in the life of a device or a server happens, and does no harm",
        arguments: ["cloned-home", "journal-damage", "database-damage", "migration"])
    func incident(name: String) throws {
        let run = try SimulationRun("--seeds", "4", "--fault", name)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test("T100 a thousand devices after an outage: no second has above three times the mean")
    func storm() throws {
        let run = try SimulationRun("--storm")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.lines.count { $0.contains(" ratio ") } == 2)
    }

    @Test("each fault is listed, and a name that is not leads to status 2")
    func words() throws {
        let list = try SimulationRun("--list")
        #expect(list.status == 0)
        #expect(list.lines.count { $0.hasPrefix("fault ") } >= 20)
        #expect(list.lines.count { $0.hasPrefix("mutant ") } == 12)
        #expect(try SimulationRun("--fault", "nonsense").status == 2)
        #expect(try SimulationRun("--help").status == 0)
    }
}
