import Coding
import Forms
import Foundation
import LocalStore
import Replication
import Synchronization

/// `edit_during_pull`: what an edit takes while 100,000 records come in, three times one after the other,
/// beside what it takes when nothing does. Edits 500 ms apart, as of somebody who is quick: one pull leaves
/// room for 40, of which the slowest one would be the p99. The queue is counted too: of what is pulled
/// nothing may enter it.
enum EditDuringPull {
    private static let pause = 0.5
    /// Edits of the idle sample.
    private static let idleEdits = 120

    static func measure(records: Int = 300_000) throws -> Figure {
        let bench = try BenchHome()
        let editor = try Editor(bench)
        var idle = Sample()
        for _ in 0..<idleEdits { try editor.edit(&idle) }
        let rows = try bench.store.outbox(all: true).count
        let pull = Pull(bench.store, records: records)
        var busy = Sample()
        let duration = try elapsed {
            pull.start()
            while !pull.isOver { try editor.edit(&busy) }
        }
        try pull.finish()
        let newRows = try bench.store.outbox(all: true).count - rows
        try bench.store.close()
        return Figure(
            name: "edit_during_pull (\(records) records of \(PullApply.fieldsPerRecord) fields)",
            readings: [
                .init(label: "p50", value: busy.p50, unit: "ms"),
                .init(label: "p99", value: busy.p99, unit: "ms"),
                .init(label: "idle p50", value: idle.p50, unit: "ms"),
                .init(label: "idle p99", value: idle.p99, unit: "ms"),
                .init(label: "ratio", value: busy.p99 / idle.p99, unit: "x"),
                .init(label: "edits", value: Double(busy.count), unit: ""),
                .init(label: "pull", value: duration.seconds, unit: "s"),
                .init(label: "new rows in the queue", value: Double(newRows), unit: ""),
            ],
            goals: [
                .init(text: "p99 within 3 x the idle one", holds: busy.p99 <= 3 * idle.p99),
                .init(text: "nothing that was pulled is queued", holds: newRows == 0),
            ])
    }

    /// Changes one answer again and again, which amends the one mutation that waits.
    private final class Editor {
        private let store: DeviceStore
        private let inspection: RecordID
        private var number = 0

        init(_ bench: BenchHome) throws {
            store = bench.store
            inspection = try bench.inspection()
        }

        func edit(_ sample: inout Sample) throws {
            Thread.sleep(forTimeInterval: pause)
            number += 1
            let value = FieldValue.string("round \(number)")
            try sample.time {
                try store.change(inspection, by: [.answer(AnswerKey("notes"), value)])
            }
        }
    }

    /// Pages into the store, one after the other, on a thread of their own.
    private final class Pull: Sendable {
        private let store: DeviceStore
        private let records: Int
        private let outcome = Mutex<Result<Void, any Error>?>(nil)

        init(_ store: DeviceStore, records: Int) {
            self.store = store
            self.records = records
        }

        var isOver: Bool { outcome.withLock { $0 != nil } }

        func start() {
            Thread.detachNewThread { [self] in
                let result = Result {
                    for number in 0..<PullApply.pageCount(records: records) {
                        try store.apply(page: PullApply.page(number, records: records))
                    }
                }
                outcome.withLock { $0 = result }
            }
        }

        func finish() throws { try outcome.withLock { $0 }?.get() }
    }
}
