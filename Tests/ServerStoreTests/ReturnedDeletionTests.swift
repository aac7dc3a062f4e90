import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// Who may come to a restored server that lacks a deletion: who made the record, who deleted it, and
/// who had pulled it before that.
private enum Comer: CaseIterable { case maker, deleter, holder }

/// All orders in which these may come, each of them or not.
private let orders: [[Comer]] = Comer.allCases.reduce([[]]) { orders, comer in
    orders.flatMap { order in
        [order] + (0...order.count).map { Array(order[..<$0]) + [comer] + Array(order[$0...]) }
    }
}

/// A deletion that a restore took back is told again by who deleted: in every order it comes to what it
/// had come to before, and nobody is asked what he knew.
@Suite("Conformance: deletions that come back after a restore")
struct ReturnedDeletionTests {
    private struct Day {
        let yard: Yard
        let id: RecordID
        let maker: Handheld
        let deleter: Handheld
        let holder: Handheld
        let made: [Mutation]
        let deletion: Mutation
        let copy: WireRecord

        /// - Parameters:
        ///   - table: of the record that is made after the backup; nil where only its value is entered then.
        ///   - isSeen: whether the last value was known to who deletes.
        init(_ backend: Backend, _ table: String?, isSeen: Bool) throws {
            yard = try Yard(backend)
            let inspection = try yard.assign()
            maker = try yard.enrol("a")
            deleter = try yard.enrol("b")
            holder = try yard.enrol("c")
            for device in [maker, deleter, holder] { try device.pull() }
            let backup = try yard.backUp()
            var made: [Mutation] = []
            let field: FieldName
            switch table {
            case RecordTable.repetition:
                (id, field) = ("r1", "part/x")
                made = [maker.row("r1", under: inspection, ["x": .integer(1)])]
            case RecordTable.finding:
                (id, field) = ("f1", BuiltInField.note)
                made = [
                    maker.mutation(
                        "f1", table: RecordTable.finding, parent: inspection, .insert,
                        [BuiltInField.question: .string("notes")])
                ]
            case RecordTable.inspection:
                (id, field) = ("i1", "notes")
                made = [maker.begin("i1", asset: ImportedID.asset("A1"), ["notes": .string("one")])]
            default: (id, field) = (inspection, "notes")
            }
            if table != nil { try maker.push(made) }
            if !isSeen { try deleter.pull() }
            let value: FieldValue = field == "part/x" ? .integer(2) : .string("two")
            made.append(maker.change(id, [field: value]))
            try maker.push([made[made.count - 1]])
            for device in isSeen ? [deleter, holder] : [holder] { try device.pull() }
            var deletion = deleter.delete(id)
            let told = try deleter.push(deletion)
            #expect(told.map(\.status) == [isSeen ? .applied : .merged])
            deletion.changes[Mutation.deletedField]?.formerVersion =
                deleter.confirmed[id]?.version ?? 0
            self.made = made
            self.deletion = deletion
            let held = holder.confirmed[id]
            copy = try #require(held)
            try yard.restore(backup)
            for device in [maker, deleter] { device.hasExactBases = false }
        }

        func visit(_ comer: Comer) throws -> [Verdict.Status] {
            switch comer {
            case .maker: return try maker.push(made.map(maker.again)).map(\.status)
            case .deleter: return try deleter.push(deletion).map(\.status)
            case .holder:
                let told = try holder.offer([copy], to: yard).map(\.status)
                #expect(told == [.taken])
                return []
            }
        }
    }

    private static let tables: [String?] = [
        nil, RecordTable.repetition, RecordTable.finding, RecordTable.inspection,
    ]

    @Test(
        "T86 what was deleted knowingly stays deleted with all that it had, and nobody is asked",
        arguments: Backend.allCases, tables)
    func seen(backend: Backend, table: String?) throws {
        for order in orders where order.contains(.deleter) {
            let day = try Day(backend, table, isSeen: true)
            for comer in order + [.deleter] {
                let told = try day.visit(comer)
                #expect(told.allSatisfy { [.applied, .merged].contains($0) }, "\(order) \(told)")
            }
            #expect(try day.yard.everything()[day.id]?.isDeleted == true, "\(order)")
            #expect(try day.yard.store.openReviews().isEmpty, "\(order)")
            guard order.count > 1 else { continue }
            // Whoever takes it back has all of it.
            let late = try day.yard.enrol("late")
            try late.pull()
            let back = late.change(day.id, [Mutation.deletedField: .integer(0)])
            #expect(try late.push(back).map(\.status) == [.applied], "\(order)")
            let record = try day.yard.everything()[day.id]
            #expect(record?.isDeleted == false, "\(order)")
            for (name, field) in day.copy.fields {
                #expect(record?.fields[name]?.value == field.value, "\(order) \(name)")
            }
        }
    }

    @Test(
        "T86 where it had not seen the last value, a person looks, once, whatever comes first",
        arguments: Backend.allCases, tables)
    func unseen(backend: Backend, table: String?) throws {
        for order in orders where order.contains(.deleter) && order.count > 1 {
            let day = try Day(backend, table, isSeen: false)
            for comer in order + order {
                let told = try day.visit(comer)
                #expect(told.allSatisfy { [.applied, .merged].contains($0) }, "\(order) \(told)")
            }
            #expect(try day.yard.everything()[day.id]?.isDeleted == true, "\(order)")
            let reviews = try day.yard.store.openReviews()
            #expect(reviews.map(\.rule) == ["delete"], "\(order)")
            #expect(reviews.map(\.mineNode) == [day.deleter.node], "\(order)")
            #expect(reviews.map(\.theirsNode) == [day.maker.node], "\(order)")
            guard let review = reviews.first else { continue }
            try day.yard.store.resolve(
                review: review.id, .theirs, comment: nil, by: Supervisor(name: "anna"))
            #expect(try day.yard.everything()[day.id]?.isDeleted == false, "\(order)")
        }
    }

    @Test(
        "T86 a deletion that somebody had taken back does not come back, in either order",
        arguments: Backend.allCases, [true, false])
    func takenBack(backend: Backend, deleterFirst: Bool) throws {
        let day = try Day(backend, RecordTable.repetition, isSeen: true)
        // The author of the restoration knew the deletion, and it was confirmed after that.
        let version = day.deletion.changes[Mutation.deletedField]?.formerVersion ?? 0
        var back = day.maker.change(day.id, [Mutation.deletedField: .integer(0)])
        back.changes[Mutation.deletedField]?.baseVersion = version
        back.changes[Mutation.deletedField]?.formerVersion = version + 1
        if deleterFirst { #expect(try day.visit(.deleter) == [.applied]) }
        #expect(try day.visit(.maker).allSatisfy { [.applied, .merged].contains($0) })
        #expect(try day.maker.push(back).map(\.status) == [.applied])
        if !deleterFirst { #expect(try day.visit(.deleter) == [.merged]) }
        let record = try day.yard.everything()[day.id]
        #expect(record?.isDeleted == false && record?.fields["part/x"]?.value == .integer(2))
        #expect(try day.yard.store.openReviews().isEmpty)
    }

    @Test(
        "T86 what stood below comes back below, nobody is refused, and a person looks, once",
        arguments: Backend.allCases, [true, false])
    func below(backend: Backend, deleterFirst: Bool) throws {
        let yard = try Yard(backend)
        let (maker, deleter) = (try yard.enrol("a"), try yard.enrol("b"))
        for device in [maker, deleter] { try device.pull() }
        let backup = try yard.backUp()
        let made = [
            maker.begin("i1", asset: ImportedID.asset("A1"), ["notes": .string("one")]),
            maker.row("r1", under: "i1", ["x": .integer(1)]),
            maker.row("r2", under: "i1", ["x": .integer(2)]),
        ]
        try maker.push(made)
        try deleter.pull()
        var deletion = deleter.delete("i1")
        #expect(try deleter.push(deletion).map(\.status) == [.applied])
        deletion.changes[Mutation.deletedField]?.formerVersion =
            deleter.confirmed["i1"]?.version ?? 0
        try yard.restore(backup)
        for device in [maker, deleter] { device.hasExactBases = false }
        if deleterFirst { #expect(try deleter.push(deletion).map(\.status) == [.applied]) }
        let told = try maker.push(made.map(maker.again)).map(\.status)
        #expect(told == [.applied, .applied, .applied])
        if !deleterFirst { #expect(try deleter.push(deletion).map(\.status) == [.merged]) }
        let stored = try yard.everything()
        #expect(stored["i1"]?.isDeleted == true)
        #expect(stored["r2"]?.fields["part/x"]?.value == .integer(2))
        let reviews = try yard.store.openReviews()
        #expect(reviews.map(\.rule) == ["delete"] && reviews.map(\.mineNode) == [deleter.node])
        // What is entered there now is refused, as ever.
        let late = maker.row("r3", under: "i1", ["x": .integer(3)])
        #expect(try maker.push(late).map(\.error?.code) == ["parent_deleted"])
        let review = try #require(reviews.first)
        try yard.store.resolve(
            review: review.id, .theirs, comment: nil, by: Supervisor(name: "anna"))
        #expect(try yard.everything()["i1"]?.isDeleted == false)
    }

    @Test(
        "T86 a deletion waits for what its record stands under, and for nothing that is gone for ever",
        arguments: Backend.allCases)
    func parents(backend: Backend) throws {
        let day = try Day(backend, RecordTable.repetition, isSeen: true)
        var orphan = day.deletion
        orphan.parent = "i9"
        #expect(try day.deleter.push(orphan).map(\.status) == [.held])
        day.yard.clock.advance(seconds: 31 * 86_400)
        try day.deleter.pullKeepingCursor()
        #expect(try day.deleter.push(orphan).map(\.status) == [.applied])
        #expect(try day.yard.everything()[day.id] == nil)
        // Equipment is the office's.
        let asset = day.deleter.mutation(
            "A9", table: RecordTable.asset, parent: "S1", .delete,
            [Mutation.deletedField: .integer(1)])
        var returned = asset
        returned.changes[Mutation.deletedField]?.formerVersion = 5
        #expect(try day.deleter.push(returned).map(\.error?.code) == ["not_allowed"])
    }

    @Test(
        "T86 what is entered by somebody who has not heard of the deletion is offered to him",
        arguments: Backend.allCases)
    func laterEdit(backend: Backend) throws {
        let day = try Day(backend, RecordTable.repetition, isSeen: true)
        _ = try day.visit(.deleter)
        _ = try day.visit(.maker)
        let edit = day.maker.change(day.id, ["part/x": .integer(9)])
        #expect(try day.maker.push(edit).map(\.status) == [.conflict])
        #expect(try day.yard.everything()[day.id]?.isDeleted == true)
    }
}
