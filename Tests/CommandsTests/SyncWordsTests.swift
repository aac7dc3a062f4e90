import Arguments
import Foundation
import Sync
import TestSupport
import Testing

@testable import Commands

@Suite("What is told of the way to the server")
struct SyncWordsTests {
    @Test(
        "a wrong key, a strange certificate or a wrong clock does not read like having no signal",
        arguments: TransportFault.allCases)
    func alarms(fault: TransportFault) {
        let failure = SyncWords.failure(for: Refusal(.offline, fault: fault))
        #expect(failure.exitCode == .syncIncomplete)
        #expect(failure.sentence == Enrolment.words(fault))
        let isWarned = failure.advice?.contains("administrator") == true
        #expect(isWarned == (fault.isAlarm && fault != .clock))
        #expect(failure.advice?.contains("clock") == (fault == .clock))
        #expect(failure.advice?.contains("Everything is kept") == true)
    }
}

extension SyncWordsTests {
    @Test("F21 each way for a synchronisation to fail has a sentence of its own, and keeps all")
    func eachFailure() {
        let refusals = [
            Refusal(.broken, status: 503, retryAfterSeconds: 30),
            Refusal(.offline, fault: .unreachable), Refusal(.offline, fault: .timedOut),
            Refusal(.offline, fault: .interrupted), Refusal(.offline, fault: .handshake),
            Refusal(.offline, fault: .untrusted), Refusal(.offline, status: 200),
            Refusal(.unauthorised, status: 401), Refusal(.upgradeNeeded, status: 426),
            Refusal(.forbidden, status: 403, code: "x", message: "Why it is."),
        ]
        let failures = refusals.map { SyncWords.failure(for: $0) }
        #expect(Set(failures.map(\.sentence)).count == refusals.count)
        #expect(failures.allSatisfy { $0.advice?.contains("Everything is kept") == true })
        #expect(failures.allSatisfy { $0.exitCode == .syncIncomplete })
        #expect(failures[0].sentence.contains("30 seconds"), "the next try")
        #expect(failures.last?.sentence.contains("Why it is.") == true, "the cause")
    }
}

@Suite("The log of warnings")
struct WarningLogTests {
    @Test("a log within its bound stays; one past it keeps its newest lines")
    func shorten() throws {
        let folder = try TemporaryFolder("log")
        let lines = (0..<2000).map { "warning number \($0)\n" }
        let short = lines[..<100].joined()
        let log = WarningLog(try folder.write(short, to: "walkdown.log"))
        log.shorten()
        #expect(try folder.bytes(of: "walkdown.log") == Array(short.utf8))
        _ = try folder.write((lines + lines + lines).joined(), to: "walkdown.log")
        log.shorten()
        let left = String(decoding: try folder.bytes(of: "walkdown.log"), as: UTF8.self)
        #expect(log.size <= WarningLog.longest / 2 && log.size > WarningLog.longest / 4)
        #expect(left.hasPrefix("warning number ") && left.hasSuffix(lines[1999]))
        log.shorten()
        #expect(try folder.bytes(of: "walkdown.log") == Array(left.utf8))
    }

    @Test("no log, or another's file behind the name, is left alone")
    func missing() throws {
        let folder = try TemporaryFolder("log")
        WarningLog(folder.file("walkdown.log")).shorten()
        let other = try folder.write(String(repeating: "x\n", count: 50_000), to: "other")
        #expect(symlink(other, folder.file("walkdown.log")) == 0)
        WarningLog(folder.file("walkdown.log")).shorten()
        #expect(try folder.bytes(of: "other").count == 100_000)
    }
}
