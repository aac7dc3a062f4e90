import Coding
import Forms
import Inspections
import Replication
import ServerStore
import Testing

/// A decision makes an answer stand that no device gives: what it asks for is found here.
@Suite("Conformance: findings that follow a supervisor's decision")
struct DecidedFindingTests {
    private let boss = Supervisor(name: "kim")

    /// A check of seals that a supervisor decides about, in an inspection that two devices know.
    private func pair(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let (yard, _, first, second) = try Yard.pair(backend)
        let seals = Question(
            path: "seals", label: "Seals", type: .verdict, merge: "quarantine", critical: true,
            findingOnFail: true)
        var latch = Question(
            path: "latch", label: "Latch", type: .verdict, merge: "lww", findingOnFail: true)
        latch.rules.relevant = try FormExpression("/data/seals = 'fail'")
        try yard.store.publish(
            FormDefinition(
                id: "check", version: "1", title: "Check",
                sections: [Section(name: "all", title: "All", questions: [seals, latch])]))
        try first.push(
            first.mutation(
                "check-1", table: RecordTable.inspection, parent: nil, .insert,
                [
                    BuiltInField.form: .string("check"), BuiltInField.formVersion: .string("1"),
                    BuiltInField.state: .string("inProgress"),
                ]))
        for device in [first, second] { try device.pull() }
        return (yard, "check-1", first, second)
    }

    private func finding(_ id: RecordID, by device: Handheld, on question: String = "seals")
        -> Mutation
    {
        device.mutation(
            id, table: RecordTable.finding, parent: "check-1", .insert,
            [
                BuiltInField.question: .string(question),
                BuiltInField.severity: .string("critical"),
                BuiltInField.status: .string("pending"), BuiltInField.raisedBy: .string("answer"),
                BuiltInField.repeated: .integer(0),
            ])
    }

    private func standing(_ yard: Yard) throws -> [String] {
        try yard.store.export(form: "check").flatMap(\.findings).map {
            "\($0.address) \($0.finding.severity) \($0.finding.status)"
                + ($0.finding.isFromAnswer ? "" : " by hand")
        }
    }

    @Test(
        "What fails by the decision is found once, and what does not goes with its cause",
        arguments: Backend.allCases,
        [
            // What stands, what waits, which of them fail with a finding; the decision; what is found.
            ("pass", "na", .value(.string("fail")), 1), ("pass", "fail", .mine, 1),
            ("pass", "fail", .theirs, 0), ("fail", "pass", .mine, 0), ("fail", "pass", .theirs, 1),
            ("fail", "pass", .value(.string("na")), 0),
        ] as [(String, String, ReviewDecision, Int)])
    func decided(
        backend: Backend,
        story: (stands: String, waits: String, decision: ReviewDecision, count: Int)
    ) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["seals": .string(story.stands)]))
        if story.stands == "fail" { try first.push(finding("f1", by: first)) }
        try second.push(second.change(id, ["seals": .string(story.waits)]))
        if story.waits == "fail" { try second.push(finding("f2", by: second)) }
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, story.decision, comment: nil, by: boss)
        #expect(
            try standing(yard)
                == Array(repeating: "seals critical pending", count: story.count))
        // Every device hears of the same, and nothing of it is refused later.
        for device in [first, second] {
            try device.pull()
            let found = device.confirmed.values.filter {
                $0.table == RecordTable.finding && !$0.isDeleted
            }
            #expect(found.count == story.count)
        }
        try first.push(first.change(id, ["@state": .string("complete")]))
        try yard.store.approve(inspection: id, by: boss)
    }

    @Test(
        "What somebody worked on stays, and what a person removed stays away",
        arguments: Backend.allCases)
    func workedOn(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(first.change(id, ["seals": .string("pass")]))
        try second.push(
            second.change(id, ["seals": .string("fail")]), finding("f2", by: second))
        try second.push(second.change("f2", ["@raisedBy": .string("hand")]))
        try second.pull()
        try second.push(second.delete("f2"))
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        #expect(try standing(yard).isEmpty)
        for device in [first, second] { try device.pull() }
        try first.push(
            finding("f3", by: first), first.change(id, ["seals": .string("fail")]))
        try first.pull()
        try first.push(first.change("f3", ["@note": .string("torn")]))
        try first.push(first.change(id, ["seals": .string("na")]))
        try second.push(second.change(id, ["seals": .string("pass")]))
        for item in try yard.store.openReviews() {
            try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        }
        #expect(try standing(yard) == ["seals critical pending"])
    }

    @Test(
        "A question that the decision makes be asked, and fails, is found too",
        arguments: Backend.allCases)
    func asked(backend: Backend) throws {
        let (yard, id, first, second) = try pair(backend)
        try first.push(
            first.change(id, ["seals": .string("pass"), "latch": .string("fail")]))
        try second.push(second.change(id, ["seals": .string("na")]))
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(
            review: item.id, .value(.string("fail")), comment: nil, by: boss)
        #expect(
            try standing(yard) == ["seals critical pending", "latch major pending"])
    }
}
