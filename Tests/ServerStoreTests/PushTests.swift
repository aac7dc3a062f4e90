import Coding
import Inspections
import Replication
import ServerStore
import Testing

@Suite("Conformance: push")
struct PushTests {
    @Test("an answer arrives, and a second device pulls it", arguments: Backend.allCases)
    func travels(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        let verdicts = try first.push(
            first.change(
                id, ["notes": .string("ice on the valve"), "@state": .string("inProgress")])
        )
        #expect(verdicts.map(\.status) == [.applied])
        #expect(verdicts[0].version == 2)
        #expect(verdicts[0].record?.fields["notes"]?.value == .string("ice on the valve"))
        try second.pull()
        #expect(second.value(id, "notes") == .string("ice on the valve"))
        #expect(second.confirmed[id]?.fields["notes"]?.stamp.node == first.node)
    }

    @Test("different fields of one record merge by themselves", arguments: Backend.allCases)
    func differentFields(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        try first.push(first.change(id, ["notes": .string("a")]))
        let verdict = try second.push(second.change(id, ["pressure": .integer(150)]))[0]
        #expect(verdict.status == .applied)
        #expect(verdict.record?.fields["notes"]?.value == .string("a"))
    }

    @Test(
        "T25 the same batch again gives the same verdicts and one effect",
        arguments: Backend.allCases)
    func repeated(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        let batch = [
            first.change(id, ["notes": .string("a")]), first.change(id, ["high": .integer(3)]),
        ]
        let before = try first.push(batch)
        let again = try first.push(batch)
        #expect(again.map(\.status) == before.map(\.status))
        #expect(again.map(\.version) == [3, 3], "with the current record")
        #expect(try yard.everything()[id]?.version == 3)
    }

    @Test("T25 the same idempotency key with other content is refused", arguments: Backend.allCases)
    func keyReused(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        func send(_ text: String) throws {
            let request = first.request([first.change(id, ["notes": .string(text)])])
            _ = try yard.store.push(request, from: first.device, idempotencyKey: "one key")
        }
        try send("a")
        #expect(refusal { try send("b") } == .keyReused)
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("a"))
    }

    @Test("the same mutation id with other content is refused alone", arguments: Backend.allCases)
    func contentMismatch(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        try first.push(first.change(id, ["notes": .string("a")], id: "m"))
        let verdicts = try first.push([
            first.change(id, ["notes": .string("b")], id: "m"),
            first.change(id, ["high": .integer(1)]),
        ])
        #expect(verdicts.map(\.status) == [.rejected, .applied])
        #expect(verdicts[0].error?.code == "content_mismatch")
        let stolen = try second.push(second.change(id, ["notes": .string("a")], id: "m"))[0]
        #expect(stolen.status == .rejected)
        #expect(stolen.record == nil)
    }

    @Test("T16 an answer that was lost after the commit comes again", arguments: Backend.allCases)
    func lostAnswer(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        try second.pull()
        let request = first.request([first.change(id, ["notes": .string("a")])])
        _ = try yard.store.push(request, from: first.device)
        try yard.restart()
        let other = try second.push(second.change(id, ["high": .integer(9)]))
        #expect(other[0].status == .applied)
        let answer = try yard.store.push(request, from: first.device)
        #expect(answer.results.map(\.status) == [.applied])
        #expect(answer.results[0].record?.fields["high"]?.value == .integer(9))
        #expect(answer.results[0].version == 3)
        #expect(try yard.everything()[id]?.version == 3)
    }

    @Test("a batch made offline never conflicts with itself", arguments: Backend.allCases)
    func offlineRun(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        let run = (1...20).map { first.change(id, ["notes": .string("draft \($0)")]) }
        #expect(try first.push(run).allSatisfy { $0.status == .applied })
        #expect(first.value(id, "notes") == .string("draft 20"))
    }

    @Test("T28 F25 any text is stored exactly or refused", arguments: Backend.allCases)
    func texts(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        for text in [
            "", " ", "e\u{301}", "\u{E9}", "\u{FFFE}", "שלום \u{202E}", "👩‍🔧", "'; DROP TABLE x; --",
            "\u{FEFF}x", "\n\t", String(repeating: "ü", count: 32_000),
        ] {
            let verdict = try first.push(first.change(id, ["notes": .string(text)]))[0]
            #expect(verdict.status == .applied, "\(text.prefix(20))")
            try second.pull()
            #expect(second.value(id, "notes") == .string(text), "\(text.prefix(20))")
        }
        let long = String(repeating: "x", count: FieldValue.longestText + 1)
        for refused in [long, "a\rb", "\u{1B}[2Jx", "\u{7F}", "\u{9B}2J"] {
            let verdict = try first.push(first.change(id, ["notes": .string(refused)]))[0]
            #expect(verdict.status == .rejected)
            #expect(verdict.error?.code == "invalid_value")
        }
    }

    @Test("T55 counters travel as the integers that they are", arguments: Backend.allCases)
    func integers(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        for step: Int64 in [1 << 31, 1 << 32, 1 << 32] {
            var mutation = first.change(id, ["notes": .string("to \(first.clock.counter)")])
            let lamport = first.clock.counter - 10 + step
            mutation.lamport = lamport
            mutation.changes["notes"]?.lamport = lamport
            #expect(try first.push(mutation)[0].status == .applied)
            try second.pull()
            #expect(second.confirmed[id]?.fields["notes"]?.stamp.lamport == lamport)
        }
    }
}

/// The code of the refusal that the closure ends with; nil where it succeeds.
func refusal(_ body: () throws -> Void) -> ServerStoreError.Code? {
    do {
        try body()
        return nil
    } catch let error as ServerStoreError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}
