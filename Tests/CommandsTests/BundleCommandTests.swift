import Arguments
import Coding
import Crypto
import Foundation
import LocalStore
import Replication
import TestSupport
import Testing

@testable import Commands

/// `walkdown bundle`: the queue on a stick.
@Suite("F12 The bundle command")
struct BundleCommandTests {
    private let bench: StoreBench
    private let token = String(repeating: "b7", count: 32)
    private var stick: TemporaryFolder
    private var file: String { stick.file("monday.bundle") }

    init() throws {
        bench = try StoreBench()
        stick = try TemporaryFolder("stick")
        try bench.withStore { store in
            try store.store(
                .init(
                    serverURL: "https://server:8443", deviceID: CommandBench.deviceId,
                    token: token, team: "field", caPem: "", pins: [], deviceKey: ""))
        }
    }

    private func run(_ words: String...) throws -> Outcome { try bench.bench.run(words) }

    private func read() throws -> BundleReader {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: file)))
        return try BundleReader(bytes, tokenHash: SHA256.hash(Array(token.utf8)))
    }

    private func answer(_ words: String...) throws {
        #expect(try bench.bench.run(["set", StoreBench.assigned.rawValue] + words).status == 0)
    }

    @Test("it writes one private file with all that waits, and the rows wait on")
    func written() throws {
        try answer("pressure=160", "notes=ten days")
        let outcome = try run("bundle", file, "--json")
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try outcome.json?.integer("mutations") == 1)
        #expect(try outcome.json?.integer("left") == 0)
        #expect(try outcome.json?.string("file") == file)
        #expect(try read().batch(0).mutations[0].changes["notes"]?.value == .string("ten days"))
        #expect(try read().header.device == CommandBench.deviceId)
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        #expect(try stick.names() == ["monday.bundle"])
        let status = try #require(run("status", "--json").json)
        #expect(try status.integer("pending") == 1)
        #expect(try status.bool("nothingUnsynced") == false)
        let rows = try run("outbox", "--json").json?.asArray() ?? []
        let row = try #require(rows.first)
        #expect(try row.string("status") == "PENDING")
    }

    @Test("a discard says that a bundle may bring back what it gives up", arguments: [true, false])
    func discarded(isBundled: Bool) throws {
        try answer("notes=secret")
        if isBundled { #expect(try run("bundle", file).status == 0) }
        var id = MutationID("")
        try bench.withStore { store in
            id = try #require(try store.outbox().first).mutationId
            if !isBundled { _ = try store.sealBatch() }
            try store.fail(id, error: "refused")
        }
        let outcome = try run("discard", id.rawValue, "--yes")
        #expect(outcome.status == 0)
        let warning = "It may stand in a bundle that was written before"
        #expect(outcome.output.contains(warning) == isBundled)
        #expect(try run("outbox", "--json").json?.asArray().isEmpty == true)
    }

    @Test(
        "so does a decision that gives up what this device had entered", arguments: [true, false],
        ["--theirs", "--mine", "seals=WORN"])
    func resolved(isBundled: Bool, decision: String) throws {
        try bench.makeConflict {
            if isBundled { _ = try run("bundle", file) }
        }
        let outcome = try run("resolve", StoreBench.assigned.rawValue, decision)
        #expect(outcome.status == 0, "\(outcome.messages)")
        let isTold = outcome.output.contains("It may stand in a bundle that was written before")
        #expect(isTold == (isBundled && decision != "--mine"))
    }

    @Test("and as a document")
    func resolvedAsDocument() throws {
        try bench.makeConflict { _ = try run("bundle", file) }
        let outcome = try run("resolve", StoreBench.assigned.rawValue, "--theirs", "--json")
        #expect(try outcome.json?.bool("inBundle") == true)
    }

    @Test("never over a file that is there, and nothing is sealed for that")
    func occupied() throws {
        try answer("notes=one")
        _ = try stick.write("precious", to: "monday.bundle")
        let refused = try run("bundle", file)
        #expect(refused.status == 1)
        #expect(refused.messages.contains("is there already; nothing was written"))
        #expect(try stick.bytes(of: "monday.bundle") == Array("precious".utf8))
        #expect(try stick.names() == ["monday.bundle"])
        try answer("notes=two")
        #expect(try run("outbox", "--json").json?.asArray().count == 1, "amended")
    }

    @Test("with nothing waiting no file is made")
    func nothing() throws {
        let outcome = try run("bundle", file)
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("nothing waits to be sent; no file was made"))
        #expect(try stick.names() == [])
        #expect(try run("bundle", file, "--json").json?.required("file") == .null)
    }

    @Test("a folder that is not there is a sentence, and everything stays")
    func nowhere() throws {
        try answer("notes=one")
        let refused = try run("bundle", stick.file("none/monday.bundle"))
        #expect(refused.status == 1)
        #expect(refused.messages.contains("cannot write"))
        #expect(try run("bundle").status == 2)
        #expect(try bench.bench.runWithoutPIN("bundle", file).status == 6)
    }

    @Test("what a copy that was interrupted has left is written over, another's file is not")
    func leftover() throws {
        try answer("notes=one")
        _ = try stick.write("walkdown bundle\nhalf", to: "monday.bundle.part")
        #expect(try run("bundle", file).status == 0)
        #expect(try read().mutationCount == 1)
        _ = try stick.write("somebody else's", to: "tuesday.part")
        let refused = try run("bundle", stick.file("tuesday"))
        #expect(refused.status == 1 && refused.messages.contains("is no bundle"))
        #expect(try stick.names() == ["monday.bundle", "tuesday.part"])
    }

    @Test(
        "a stick that is full or pulled out is a clear sentence and leaves nothing half",
        arguments: [ENOSPC, EIO, ENODEV], [0, 1])
    func fault(code: Int32, writes: Int) throws {
        let medium = FailingMedium(after: writes, with: code)
        var refusal: Failure?
        do {
            var copy = try BundleFile(file, calls: medium.calls)
            try copy.write(Array("walkdown bundle\n".utf8))
            try copy.finish()
        } catch {
            refusal = error
        }
        let said = try #require(refusal)
        #expect(said.sentence.contains(code == ENOSPC ? "no room" : "was it pulled out?"))
        #expect(said.advice?.contains("everything is still on this device") == true)
        #expect(try stick.names() == [])
    }
}

/// Writes a few times, then says no; synchronising fails as well.
private struct FailingMedium {
    let calls: BundleFile.Calls

    init(after writes: Int, with code: Int32) {
        var calls = BundleFile.Calls()
        if writes == 0 {
            calls.write = { _, _, _ in
                errno = code
                return -1
            }
        }
        calls.synchronize = { _ in
            errno = code
            return -1
        }
        self.calls = calls
    }
}
