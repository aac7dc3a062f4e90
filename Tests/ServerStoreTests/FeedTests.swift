import Coding
import Dispatch
import Inspections
import Replication
import ServerStore
import Synchronization
import Testing

@Suite("Conformance: the feed passes over nothing")
struct FeedTests {
    @Test(
        "T44 a thousand records of one and the same instant are all received, each once",
        arguments: Backend.allCases, [50, 499])
    func sameInstant(backend: Backend, limit: Int) throws {
        let yard = try Yard(backend)
        let writer = try yard.enrol("a")
        let ids = (0..<1000).map { RecordID("i\($0)") }
        for start in stride(from: 0, to: 1000, by: 50) {
            try writer.push(ids[start..<start + 50].map { writer.begin($0, asset: nil) })
        }
        let reader = try yard.enrol("b")
        var received: [RecordID: Int] = [:]
        var instants: Set<String> = []
        repeat {
            try reader.pullPage(limit: Int64(limit))
            for record in reader.lastPage?.deltaRecords ?? [] {
                guard record.id.rawValue.hasPrefix("i") else { continue }
                received[record.id, default: 0] += 1
                instants.insert(record.updatedAtUtc)
            }
        } while reader.lastPage?.hasMore == true
        #expect(instants.count == 1, "the clock of this test stands still")
        #expect(received == Dictionary(uniqueKeysWithValues: ids.map { ($0, 1) }))
    }

    @Test(
        "T40 T41 pulled at full speed beside writers of all tables, the copy is the whole",
        arguments: Backend.allCases)
    func besideWriters(backend: Backend) throws {
        let yard = try Yard(backend)
        let poller = try yard.enrol("poller")
        let writers = try (0..<6).map { try yard.enrol("w\($0)") }
        let days = writers.map { ($0.device, $0.day(of: 15).map($0.request)) }
        let store = yard.store
        let running = Atomic<Int>(writers.count)
        for (device, batches) in days {
            DispatchQueue.global().async {
                var baton: String?
                for var batch in batches {
                    do {
                        batch.baton = baton
                        let answer = try store.push(batch, from: device)
                        baton = answer.baton
                        let isTaken = answer.results.allSatisfy { $0.status == .applied }
                        if !isTaken { Issue.record("\(answer.results.map(\.error))") }
                    } catch {
                        Issue.record(error)
                    }
                }
                running.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        while running.load(ordering: .sequentiallyConsistent) > 0 {
            try poller.pull(limit: 5)
        }
        try poller.pull()
        let whole = try yard.everything()
        #expect(poller.confirmed == whole)
        let tables = Dictionary(grouping: whole.values, by: \.table).mapValues(\.count)
        #expect(tables[RecordTable.inspection] == 90)
        #expect(tables[RecordTable.finding] == 90 && tables[RecordTable.repetition] == 90)
        let report = try #require(poller.lastPage?.digest)
        #expect(report.sites.filter { $0.value != SiteDigest() } == poller.digests)
    }

    @Test(
        "V25 a whole outbox that is sent again makes no row, no version, no place in the feed",
        arguments: Backend.allCases)
    func sentAgain(backend: Backend) throws {
        let yard = try Yard(backend)
        let (writer, reader) = (try yard.enrol("a"), try yard.enrol("b"))
        let outbox = writer.day(of: 10)
        func send() throws -> [[Verdict.Status]] {
            try outbox.map { try writer.push($0).map(\.status) }
        }
        let first = try send()
        try reader.pull()
        let (copy, cursor) = (reader.confirmed, reader.cursor)
        for _ in 0..<3 {
            #expect(try send() == first)
            try reader.pull()
            #expect(reader.lastPage?.deltaRecords == [])
            #expect(reader.cursor == cursor)
        }
        #expect(reader.confirmed == copy)
    }
}

extension Handheld {
    /// Inspections with a finding and a repeat each, a change of it, and a deletion of the finding.
    /// A batch each.
    fileprivate func day(of count: Int) -> [[Mutation]] {
        (0..<count).flatMap { number -> [[Mutation]] in
            let id = RecordID("\(node)-\(number)")
            let finding = RecordID("\(node)-f\(number)")
            let made = [
                begin(id, asset: nil, ["high": .integer(Int64(number))]),
                mutation(
                    finding, table: RecordTable.finding, parent: id, .insert,
                    ["text": .string("leak")]),
                row(RecordID("\(node)-r\(number)"), under: id, ["text": .string("row")]),
            ]
            let changed = [
                change(id, ["notes": .string("after")]),
                mutation(
                    finding, table: RecordTable.finding, parent: id, .delete,
                    [Mutation.deletedField: .integer(1)]),
            ]
            return [made, changed]
        }
    }
}
