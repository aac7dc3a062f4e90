import Coding
import LocalStore
import Replication

/// `single_change`: one pulled change of one record, with half a million fields present.
enum SingleChange {
    static func measure(records: Int = 62_500, changes: Int = 200) throws -> Figure {
        let pages = PullApply.pages(records: records)
        let bench = try BenchHome()
        for page in pages { try bench.store.apply(page: page) }
        var sample = Sample()
        for record in pages[0].deltaRecords.prefix(changes) {
            let page = changed(record, in: pages[0])
            try sample.time { try bench.store.apply(page: page) }
        }
        try bench.store.close()
        return Figure(
            name: "single_change",
            readings: [
                .init(label: "p50", value: sample.p50, unit: "ms"),
                .init(label: "p99", value: sample.p99, unit: "ms"),
            ],
            goals: [.init(text: "p50 under 3 ms", holds: sample.p50 < 3)])
    }

    /// The record again, one field changed, as the only one of a page.
    private static func changed(_ record: WireRecord, in page: PullResponse) -> PullResponse {
        var record = record
        record.version += 1
        record.fields["field_0"]?.value = .integer(-1)
        record.fields["field_0"]?.version = record.version
        var page = page
        page.deltaRecords = [record]
        return page
    }
}
