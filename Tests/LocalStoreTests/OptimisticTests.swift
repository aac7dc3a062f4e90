import Coding
import Replication
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import LocalStore

@Suite("The optimistic store")
struct OptimisticTests {
    /// A store in memory whose writes fail by a plan, one entry a write.
    private final class FailingStore: AnswerStore {
        private struct State {
            var values: [FieldName: FieldValue]
            var plan: [SQLiteError?]
        }
        private let state: Mutex<State>

        init(_ values: [FieldName: FieldValue], plan: [SQLiteError?]) {
            state = Mutex(State(values: values, plan: plan))
        }

        func set(_ answers: [(FieldName, FieldValue)], on id: RecordID) throws {
            try state.withLock { state in
                if let error = state.plan.removeFirst() { throw StoreError.storage(error) }
                for (name, value) in answers { state.values[name] = value }
            }
        }

        func values(of id: RecordID) throws -> [FieldName: FieldValue] {
            state.withLock { $0.values }
        }
    }

    private static let failures: [SQLiteError] = [
        SQLiteError(.engine(19), "constraint"), SQLiteError(.engine(13), "full"),
        SQLiteError(.engine(10), "input/output"), SQLiteError(.engine(5), "busy"),
    ]

    @Test("A failed write is taken back and told; later edits stand", arguments: failures)
    func failing(error: SQLiteError) throws {
        let store = FailingStore(["doors": .integer(1)], plan: [nil, error, nil])
        let outcomes = Mutex<[Bool]>([])
        let optimistic = OptimisticStore(store) { _, outcome in
            outcomes.withLock { list in
                if case .saved = outcome { list.append(true) } else { list.append(false) }
            }
        }
        try optimistic.open("i")
        #expect(optimistic.edit([("doors", .integer(2))], on: "i")["doors"] == .integer(2))
        #expect(optimistic.edit([("doors", .integer(3))], on: "i")["doors"] == .integer(3))
        #expect(optimistic.edit([("notes", .string("x"))], on: "i")["notes"] == .string("x"))
        optimistic.flush()
        #expect(optimistic.shown("i") == ["doors": .integer(2), "notes": .string("x")])
        #expect(!optimistic.isWaiting("doors", of: "i"))
        let ended = outcomes.withLock { $0 }
        #expect(ended == [true, false, true])
    }

    /// Begin and end of three edits in every order in which the ends follow the begins in turn,
    /// with every pattern of failures, on one field and on three.
    @Test("Every interleaving of three edits shows what is stored under what is on its way")
    func interleavings() {
        for fields in [["a", "a", "a"], ["a", "b", "a"], ["a", "b", "c"]] {
            for failures in 0..<8 {
                for order in Self.orders(begun: 0, ended: 0) {
                    play(order, fields: fields, failures: failures)
                }
            }
        }
    }

    /// True begins the next edit, false ends the oldest that is under way.
    private static func orders(begun: Int, ended: Int) -> [[Bool]] {
        if ended == 3 { return [[]] }
        let begins = begun < 3 ? orders(begun: begun + 1, ended: ended).map { [true] + $0 } : []
        let ends = ended < begun ? orders(begun: begun, ended: ended + 1).map { [false] + $0 } : []
        return begins + ends
    }

    private func play(_ order: [Bool], fields: [FieldName], failures: Int) {
        var picture = OptimisticPicture()
        var stored: [FieldName: FieldValue] = ["a": .integer(0)]
        picture.load(stored, of: "i")
        var begun: [OptimisticPicture.EditID] = []
        var ended = 0
        for begins in order {
            if begins {
                let value = FieldValue.integer(Int64(begun.count + 1))
                begun.append(picture.begin([(fields[begun.count], value)], on: "i"))
            } else if failures & (1 << ended) != 0 {
                picture.fail(begun[ended])
                ended += 1
            } else {
                picture.succeed(begun[ended])
                stored[fields[ended]] = .integer(Int64(ended + 1))
                ended += 1
            }
            var expected = stored
            for waiting in ended..<begun.count {
                expected[fields[waiting]] = .integer(Int64(waiting + 1))
            }
            #expect(
                picture.shown("i") == expected, "\(order) fields \(fields) failures \(failures)")
        }
        #expect(!picture.isWaiting("i"))
    }

    @Test("On the real store: a refused answer goes, the state of the first answer shows")
    func realStore() throws {
        let device = try Device()
        let id = try device.acceptedInspection([("doors", .integer(1))])
        let errors = Mutex<[String]>([])
        let optimistic = OptimisticStore(device.store) { _, outcome in
            if case .failed(let error) = outcome { errors.withLock { $0.append("\(error)") } }
        }
        try optimistic.open(id)
        optimistic.edit([("health", .string("NEVER HEARD OF"))], on: id)
        optimistic.edit([("doors", .integer(2))], on: id)
        optimistic.flush()
        #expect(optimistic.shown(id)["health"] == nil)
        #expect(optimistic.shown(id)["doors"] == .integer(2))
        #expect(
            errors.withLock { $0 } == ["health: the value is not one of the question's choices"])
        try device.finish()
    }

    @Test("A full disk takes back one edit; when there is room again the next one is stored")
    func fullDisk() throws {
        let device = try Device()
        let id = try device.acceptedInspection()
        let pages = try device.number("PRAGMA page_count") ?? 0
        try device.store.writer.perform {
            try $0.run(script: "PRAGMA max_page_count = \(pages + 1)")
        }
        let optimistic = OptimisticStore(device.store)
        try optimistic.open(id)
        optimistic.edit([("notes", .string(String(repeating: "x", count: 60_000)))], on: id)
        optimistic.flush()
        #expect(optimistic.shown(id)["notes"] == nil)
        try device.store.writer.perform { try $0.run(script: "PRAGMA max_page_count = 100000") }
        optimistic.edit([("notes", .string("short"))], on: id)
        optimistic.flush()
        #expect(try device.value("notes", of: id) == .string("short"))
        try device.finish()
    }
}
