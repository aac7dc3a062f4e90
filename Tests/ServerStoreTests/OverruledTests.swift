import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// Somebody entered a value and another one, who knew it, put back what had stood before: what the
/// backup has. Whoever comes first, the last word stays the last.
@Suite("Conformance: what was put back before a restore stays put back")
struct OverruledTests {
    private enum Visitor: CaseIterable { case author, corrector, holder }

    private struct Day {
        let yard: Yard
        let id: RecordID
        let author: Handheld
        let corrector: Handheld
        let holder: Handheld
        let wrong: Mutation
        let right: Mutation
        let copy: WireRecord

        /// - Parameter before: what stands in the backup.
        init(_ backend: Backend, _ field: FieldName, _ before: FieldValue) throws {
            yard = try Yard(backend)
            id = try yard.assign()
            author = try yard.enrol("a")
            corrector = try yard.enrol("b")
            holder = try yard.enrol("c")
            try corrector.pull()
            if before != .null { try corrector.push(corrector.change(id, [field: before])) }
            try author.pull()
            let backup = try yard.backUp()
            wrong = author.change(
                id, [field: field == "health" ? .string("CRITICAL") : .integer(2)])
            try author.push(wrong)
            try corrector.pull()
            right = corrector.change(id, [field: before])
            try corrector.push(right)
            try holder.pull()
            let held = holder.confirmed[id]
            copy = try #require(held)
            try yard.restore(backup)
        }

        func visit(_ visitor: Visitor) throws {
            switch visitor {
            case .author: try author.push(author.again(wrong))
            case .corrector: try corrector.push(corrector.again(right))
            case .holder: _ = try holder.offer([copy], to: yard)
            }
        }
    }

    private static let orders: [[Visitor]] = [
        [.author, .corrector], [.corrector, .author], [.author, .holder], [.holder, .author],
        [.holder, .author, .corrector], [.corrector, .holder, .author],
        [.author, .corrector, .holder], [.author, .holder, .corrector],
        [.holder, .corrector, .author], [.corrector, .author, .holder],
    ]

    @Test(
        "T86 a correction back, or a clearing, that is told keeps what it overruled from coming back",
        arguments: Backend.allCases, ["high", "pressure", "health"])
    func everyOrder(backend: Backend, field: FieldName) throws {
        let values: [FieldValue] =
            field == "health" ? [.string("OPTIMAL"), .null] : [.integer(1), .null]
        for (order, before) in Self.orders.flatMap({ order in values.map { (order, $0) } }) {
            let day = try Day(backend, field, before)
            for visitor in order { try day.visit(visitor) }
            let stored = try day.yard.everything()[day.id]
            #expect(stored?.fields[field]?.value ?? .null == before, "\(order) \(before)")
            #expect(try day.yard.store.openReviews().isEmpty, "\(order) \(before)")
            let history = try day.yard.store.history(of: day.id).entries.map(\.value)
            #expect(history.contains(day.wrong.changes[field]?.value ?? .null), "\(order)")
        }
    }

    @Test(
        "T86 what was told changes nothing, and is not news once somebody has written over it",
        arguments: Backend.allCases)
    func toldTwice(backend: Backend) throws {
        let day = try Day(backend, "pressure", .integer(1))
        let second = try day.yard.enrol("d")
        try day.visit(.holder)
        try second.pull()
        try second.push(second.change(day.id, ["pressure": .integer(7)]))
        try day.visit(.holder)
        #expect(try day.yard.everything()[day.id]?.fields["pressure"]?.value == .integer(7))
        #expect(try day.yard.store.openReviews().isEmpty)
    }
}
