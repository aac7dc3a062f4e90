import Coding
import Commands
import Foundation
import LocalStore
import Replication
import Testing
import Vault

/// What ends the wait for a line beside the line: `walkdown lock`, the time, a signal.
@Suite("The wait for a line ends")
struct TypingEndTests {
    private let round: RoundBench

    init() throws { round = try RoundBench() }

    private var bench: CommandBench { round.bench.bench }

    private func fill(_ steps: ScriptedTyping.Step..., json: Bool = false) throws -> Outcome {
        try run(["fill", round.id] + (json ? ["--json"] : []), steps)
    }

    private func run(_ words: [String], _ steps: [ScriptedTyping.Step]) throws -> Outcome {
        let typing = try ScriptedTyping(bench, steps)
        let outcome = try bench.run(words, typing)
        #expect(typing.isStopped)
        // Nobody holds the home, and what stands there can be opened.
        #expect(try HomeLease.holder(of: bench.home) == nil)
        #expect(try bench.run("status").status == 0)
        return outcome
    }

    private func draft(of question: String) throws -> String? {
        try round.bench.withStore { try $0.draft(of: question, in: RecordID(round.id))?.text }
    }

    @Test("'walkdown lock' ends fill and the line mode with one sentence and 6, with all kept")
    func told() throws {
        let filled = try fill(.type("Pier 4\n"), .signal(LockSignal.number))
        #expect(filled.status == 6)
        #expect(
            filled.messages
                == "walkdown: locked, as 'walkdown lock' asked; what was entered is kept\n")
        #expect(filled.output.hasSuffix("> \n"))
        #expect(try round.value("site") == "Pier 4")
        for steps in [[], ["1\n"], ["1\n", "\n"], ["t\n"], ["a 1\n"]] as [[String]] {
            let outcome = try run(
                ["--a11y"], steps.map { .type($0) } + [.signal(LockSignal.number)])
            #expect(outcome.status == 6, "\(steps)")
            #expect(outcome.messages.contains("locked, as 'walkdown lock' asked"), "\(steps)")
        }
    }

    @Test("five minutes without a line lock, and not a second less; each line begins them anew")
    func idle() throws {
        let typing = try ScriptedTyping(
            bench,
            [
                .pass(seconds: 200), .type("Pier 4\n"), .pass(seconds: 299), .pass(seconds: 1),
            ])
        let outcome = try bench.run(["fill", round.id], typing)
        #expect(typing.waits == [300_000, 100_000, 300_000, 1_000])
        #expect(outcome.status == 6)
        #expect(
            outcome.messages
                == "walkdown: locked after 5 minutes without a line; what was entered is kept\n")
        #expect(try round.value("site") == "Pier 4")
    }

    @Test("after a long sleep of the machine nothing is taken from whoever types first")
    func sleep() throws {
        let outcome = try fill(.type("Pi"), .sleep(seconds: 4000, typed: "xx\n"))
        #expect(outcome.status == 6)
        #expect(try round.value("site") == .null)
        #expect(try draft(of: "site") == "Pi")
    }

    @Test(
        "a signal ends it as the signal would, without a sentence",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) throws {
        let outcome = try fill(.type("Pier 4\n"), .type("1\n"), .signal(number))
        #expect(outcome.status == 128 + number)
        #expect(outcome.messages == "")
        #expect(try round.value("ok") == "yes")
    }

    @Test("what is typed half is kept as a draft, told the next time, and goes with an answer or -")
    func half() throws {
        #expect(try fill(.type("Pier 4 no"), .signal(SIGTERM)).status == 143)
        #expect(try round.value("site") == .null)
        #expect(try draft(of: "site") == "Pier 4 no")
        let told = try bench.run(["fill", round.id], typing: "q\n")
        #expect(told.output.contains("Site, required\n  typed, not accepted: Pier 4 no\n> "))
        _ = try bench.run(["fill", round.id], typing: "Pier 4 north\n")
        #expect(try draft(of: "site") == nil)
        _ = try fill(.type("\n\n"), .type("12"), .signal(LockSignal.number))
        #expect(try draft(of: "gauge") == "12")
        _ = try bench.run(["fill", round.id], typing: "\n\n-\n")
        #expect(try draft(of: "gauge") == nil)
    }

    @Test("the draft of a row stands in the row; half a choice, or half a word, is none")
    func otherHalves() throws {
        _ = try fill(.type(">\ny\n"), .type("D-"), .signal(SIGTERM))
        let rows = try round.bench.document("show", round.id).object("repeats").elements("door")
        let row = RecordID(try #require(rows.first).string("id"))
        #expect(try round.bench.withStore { try $0.draft(of: "door/tag", in: row)?.text } == "D-")
        _ = try fill(.type("\n"), .type("y"), .signal(SIGTERM))
        #expect(try draft(of: "ok") == nil)
        for word in ["", " ", "q", "-", "<"] {
            _ = try fill(.type(word), .signal(SIGTERM))
            #expect(try draft(of: "site") == nil, "\(word)")
        }
    }

    @Test("with --json the end is the document of a failure")
    func document() throws {
        let outcome = try fill(.signal(LockSignal.number), json: true)
        #expect(outcome.status == 6)
        #expect(try outcome.json?.required("error").member("exitCode") == 6)
    }

    @Test("the watch of a terminal tells of time, input, its end and signals, and lets go again")
    func terminalWatch() throws {
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &before)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let watch = try Surroundings.ofThisProcess.watch()
        #expect(try watch.wait(for: ends[0], atMost: 0) == .time)
        #expect(write(ends[1], "x", 1) == 1)
        #expect(try watch.wait(for: ends[0], atMost: 60_000) == .input)
        // To this thread alone: the others of the test belong to others.
        #expect(pthread_kill(pthread_self(), SIGTERM) == 0)
        #expect(try watch.wait(for: ends[0], atMost: 60_000) == .signal(SIGTERM))
        close(ends[1])
        var byte: UInt8 = 0
        #expect(read(ends[0], &byte, 1) == 1)
        #expect(try watch.wait(for: ends[0], atMost: 60_000) == .input)
        #expect(watch.during({ 7 }, interrupt: {}) == 7)
        watch.stop()
        var after = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &after)
        for number in [SIGINT, SIGTERM, SIGHUP, LockSignal.number] {
            #expect(sigismember(&before, number) == sigismember(&after, number))
        }
    }
}
