import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

extension Handheld {
    /// Offers what this device had pulled before a restore, as of `cursor`.
    @discardableResult
    func offer(
        _ records: [WireRecord], to yard: Yard, ofOneEpoch: Bool = true
    ) throws -> [CopyVerdict] {
        let request = CopyRequest(
            clientNodeId: node, pullPosition: cursor ?? "", isOfOneEpoch: ofOneEpoch,
            records: records)
        return try yard.store.takeCopies(
            CopyRequest(json: .parse(request.json.serialized())), from: device
        ).results
    }
}

/// What a restored server lacks and its author may never bring again, other devices still have.
@Suite("Conformance: copies of what others entered before a restore")
struct CopyTests {
    /// Two devices, of which the first enters something that only the second has pulled when the
    /// server is set back; the first never comes again.
    private struct Loss {
        let yard: Yard
        let id: RecordID
        let author: NodeID
        let witness: Handheld
        let others: [Handheld]
        /// As the witness had it.
        var records: [WireRecord] { witness.confirmed.values.sorted { $0.id < $1.id } }

        func record(_ id: RecordID) throws -> WireRecord { try #require(witness.confirmed[id]) }

        init(_ backend: Backend, _ values: [FieldName: FieldValue], beginning new: Bool = false)
            throws
        {
            yard = try Yard(backend)
            id = try yard.assign()
            let first = try yard.enrol("a")
            witness = try yard.enrol("b")
            others = [try yard.enrol("c"), try yard.enrol("d")]
            author = first.node
            try first.pull()
            let backup = try yard.backUp()
            if new { try first.push(first.begin("new", asset: ImportedID.asset("A1"), values)) }
            try first.push(first.change(id, values))
            try witness.pull()
            for other in others { try other.pull() }
            try yard.restore(backup)
        }

        func stored(_ id: RecordID, _ field: FieldName) throws -> WireRecord.Field? {
            try yard.everything()[id]?.fields[field]
        }
    }

    @Test(
        "T86 a reading whose author is gone comes back from a colleague, with author and counter",
        arguments: Backend.allCases)
    func comesBack(backend: Backend) throws {
        let loss = try Loss(backend, ["notes": .string("cracked")], beginning: true)
        #expect(try loss.stored(loss.id, "notes") == nil)
        let verdicts = try loss.witness.offer(
            [try loss.record(loss.id), try loss.record("new")], to: loss.yard)
        #expect(verdicts.map(\.status) == [.taken, .taken])
        for id in [loss.id, "new"] {
            let field = try #require(try loss.stored(id, "notes"))
            #expect(field.value == .string("cracked") && field.stamp.node == loss.author)
            #expect(field.stamp == loss.witness.confirmed[id]?.fields["notes"]?.stamp)
        }
        #expect(try loss.stored("new", BuiltInField.form)?.value == .string("cold"))
        let census = try loss.yard.store.census()
        #expect(census.offeredAgain[loss.witness.device.id] ?? 0 >= 2)
        // Everybody hears of it.
        loss.others[0].cursor = nil
        try loss.others[0].pull()
        #expect(loss.others[0].value("new", "notes") == .string("cracked"))
    }

    @Test(
        "T86 offered by one after another, in any order, it takes effect once",
        arguments: Backend.allCases, 0..<6 as Range<UInt64>)
    func once(backend: Backend, seed: UInt64) throws {
        let loss = try Loss(
            backend, ["notes": .string("cracked"), "high": .integer(3)], beginning: true)
        var random = SeededRandom(seed: seed)
        var offers: [(Handheld, WireRecord)] = []
        for device in [loss.witness] + loss.others {
            for id in [loss.id, "new"] {
                offers.append((device, try #require(device.confirmed[id])))
            }
        }
        var version: [RecordID: Int64] = [:]
        offers.shuffle(using: &random)
        for (device, record) in offers {
            #expect(try device.offer([record], to: loss.yard).map(\.status) == [.taken])
            let now = try loss.yard.everything()[record.id]?.version ?? 0
            #expect(version[record.id] ?? now == now, "a second offer changed something")
            version[record.id] = now
        }
        #expect(try loss.stored("new", "high")?.value == .integer(3))
        #expect(try loss.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 it is never put over what somebody entered since: a supervisor sees both, once",
        arguments: Backend.allCases, ["notes", "pressure"])
    func contested(backend: Backend, field: FieldName) throws {
        let (old, new): (FieldValue, FieldValue) =
            field == "notes" ? (.string("old"), .string("new")) : (.double(1), .double(2))
        let loss = try Loss(backend, [field: old])
        let later = loss.others[0]
        later.cursor = nil
        try later.pull()
        let since = try loss.yard.enrol("e")
        try since.pull()
        try since.push(since.change(loss.id, [field: new]))
        for device in [loss.witness, loss.others[1]] {
            let record = try #require(device.confirmed[loss.id])
            #expect(try device.offer([record], to: loss.yard).map(\.status) == [.taken])
        }
        #expect(try loss.stored(loss.id, field)?.value == new)
        let reviews = try loss.yard.store.openReviews()
        #expect(reviews.map(\.mine) == [old])
        #expect(reviews.map(\.mineNode) == [loss.author])
        let review = try #require(reviews.first)
        try loss.yard.store.resolve(
            review: review.id, .mine, comment: nil, by: Supervisor(name: "anna"))
        #expect(try loss.stored(loss.id, field)?.value == old)
        // Decided, it is decided: no copy opens it again.
        let record = try #require(loss.others[1].confirmed[loss.id])
        _ = try loss.others[1].offer([record], to: loss.yard)
        #expect(try loss.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 what somebody has replaced since, knowing it, stays replaced",
        arguments: Backend.allCases)
    func replaced(backend: Backend) throws {
        let loss = try Loss(backend, ["notes": .string("old")])
        _ = try loss.witness.offer([try loss.record(loss.id)], to: loss.yard)
        let since = try loss.yard.enrol("e")
        try since.pull()
        try since.push(since.change(loss.id, ["notes": .string("newer")]))
        let record = try #require(loss.others[0].confirmed[loss.id])
        #expect(try loss.others[0].offer([record], to: loss.yard).map(\.status) == [.taken])
        #expect(try loss.stored(loss.id, "notes")?.value == .string("newer"))
        #expect(try loss.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 what a supervisor had decided comes back; his approval beside it does not",
        arguments: Backend.allCases)
    func decided(backend: Backend) throws {
        let loss = try Loss(backend, ["notes": .string("x")])
        var record = try loss.record(loss.id)
        let anna = NodeID("portal:anna")
        for (name, value) in [
            "high": FieldValue.integer(4), BuiltInField.state: .string("approved"),
        ] {
            record.fields[name] = WireRecord.Field(
                value: value, stamp: Stamp(lamport: 50, node: anna), version: 3)
        }
        let verdict = try #require(try loss.witness.offer([record], to: loss.yard).first)
        #expect(verdict.status == .refused && verdict.columns == [BuiltInField.state])
        #expect(try loss.stored(loss.id, "high")?.value == .integer(4))
        #expect(try loss.stored(loss.id, "high")?.stamp.node == anna)
        #expect(try loss.stored(loss.id, "notes")?.value == .string("x"))
    }

    @Test(
        "T86 a copy over a record that is deleted here is shown to a supervisor, who restores both",
        arguments: Backend.allCases)
    func buried(backend: Backend) throws {
        let loss = try Loss(backend, ["notes": .string("cracked")])
        let since = try loss.yard.enrol("e")
        try since.pull()
        try since.push(since.delete(loss.id))
        let record = try loss.record(loss.id)
        #expect(try loss.witness.offer([record], to: loss.yard).map(\.status) == [.taken])
        let reviews = try loss.yard.store.openReviews()
        #expect(Set(reviews.map(\.rule)) == ["delete", "tombstone"])
        let supervisor = Supervisor(name: "anna")
        for rule in ["delete", "tombstone"] {
            let review = try #require(
                try loss.yard.store.openReviews().first { $0.rule == rule })
            try loss.yard.store.resolve(
                review: review.id, rule == "delete" ? .theirs : .mine, comment: nil,
                by: supervisor)
        }
        #expect(try loss.yard.everything()[loss.id]?.isDeleted == false)
        #expect(try loss.stored(loss.id, "notes")?.value == .string("cracked"))
    }

    @Test(
        "a server that was never restored takes no copies: nobody speaks for another there",
        arguments: Backend.allCases)
    func neverRestored(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        var record = try #require(device.confirmed[id])
        record.fields = [
            "notes": WireRecord.Field(
                value: .string("forged"), stamp: Stamp(lamport: 90, node: "node-b"), version: 1)
        ]
        device.cursor = "of no epoch"
        #expect(try device.offer([record], to: yard).map(\.status) == [.refused])
        #expect(try yard.everything()[id]?.fields["notes"] == nil)
    }

    @Test(
        "no copy is taken under the present epoch, out of scope, of the office's words or deletions",
        arguments: Backend.allCases)
    func refused(backend: Backend) throws {
        let loss = try Loss(backend, ["notes": .string("x")], beginning: true)
        let record = try loss.record(loss.id)
        // Another team's device.
        let stranger = try loss.yard.enrol("s", team: "south")
        stranger.cursor = loss.witness.cursor
        let strange = try stranger.offer([record, try loss.record("new")], to: loss.yard)
        #expect(strange.map(\.status) == [.refused, .refused])
        #expect(strange.map(\.error?.code) == ["out_of_scope", "out_of_scope"])
        var approved = record
        approved.fields[BuiltInField.state] = WireRecord.Field(
            value: .string("approved"),
            stamp: Stamp(lamport: 50, node: NodeID("portal:anna")), version: 3)
        let verdict = try #require(try loss.witness.offer([approved], to: loss.yard).first)
        #expect(verdict.status == .refused && verdict.columns == [BuiltInField.state])
        #expect(try loss.stored(loss.id, "notes")?.value == .string("x"), "the rest is taken")
        #expect(try loss.stored(loss.id, BuiltInField.state)?.value != .string("approved"))
        var deleted = record
        deleted.isDeleted = true
        #expect(try loss.witness.offer([deleted], to: loss.yard).map(\.status) == [.refused])
        var orphan = try loss.record("new")
        orphan.parent = "nobody-has-it"
        #expect(try loss.witness.offer([orphan], to: loss.yard).map(\.status) == [.held])
        let present = loss.others[0]
        present.cursor = nil
        try present.pull()
        let forged = try loss.record("new")
        let answer = try #require(try present.offer([forged], to: loss.yard).first)
        #expect(answer.status == .refused && answer.error?.code == "not_allowed")
        #expect(try loss.yard.everything()["new"] == nil)
    }
}
