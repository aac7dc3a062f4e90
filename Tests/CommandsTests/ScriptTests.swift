import Coding
import Foundation
import Replication
import TestSupport
import Testing

@Suite("A script of keys, played without a terminal")
struct ScriptTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func play(_ script: String) throws -> Outcome {
        let file = try bench.bench.folder.write(script, to: "script")
        return try bench.run("--script", file)
    }

    @Test("does what a person does, and saves what is on the screen")
    func played() throws {
        let shot = bench.bench.folder.file("shot")
        let outcome = try play(
            """
            :wait-for F-17
            Enter
            :wait-for Pressure
            :text 150
            Enter
            :wait-for 1/4
            :save-screen \(shot)
            """)
        #expect(outcome.status == 0, "\(outcome.messages)")
        let screen = try String(contentsOfFile: shot, encoding: .utf8)
        #expect(screen.split(separator: "\n", omittingEmptySubsequences: false).count == 25)
        #expect(screen.contains("150") && screen.contains("Seals"))
        let fields = try bench.document("show", StoreBench.assigned.rawValue).object("fields")
        #expect(try fields.member("pressure")?.member("value") == 150)
    }

    @Test("what is being typed at its end stays as a draft")
    func draft() throws {
        #expect(try play(":wait-for F-17\nEnter\n:wait-for Pressure\n:text 16").status == 0)
        #expect(try bench.document("status").required("drafts") == 1)
    }

    @Test("what is left is not played once the person has gone")
    func gone() throws {
        #expect(try play(":wait-for F-17\nq\n:wait-for zebra").status == 0)
    }

    @Test("a file that cannot be written is told with its line")
    func unwritable() throws {
        let outcome = try play(":wait-for F-17\n:save-screen /nowhere/shot")
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains("line 2 of the script: cannot write /nowhere/shot"))
    }

    @Test("what is wrong with it is told before anything is opened")
    func wrong() throws {
        let outcome = try play("Enter\nEntr")
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("line 2 of the script"))
        #expect(outcome.messages.contains("'Entr' is no key"))
        #expect(try bench.run("--script", "/nowhere").status == 2)
    }
}
