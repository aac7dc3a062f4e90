import Coding
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// Who may come to a restored server: those who entered two values after each other, and those who have
/// a copy of one.
enum Visitor: CaseIterable {
    case author, corrector, holderOfOld, holderOfNew
}

/// What its own authors offer again to a restored server: the last word stays the last, whoever comes
/// first, and nobody is asked about what he had settled before.
@Suite("Conformance: what authors bring back after a restore")
struct ReturnTests {
    /// The first device enters *old*, the second corrects it knowingly, and a third and a fourth have
    /// pulled after each of them. Then the server is set back behind both.
    private struct Correction {
        let yard: Yard
        let id: RecordID
        let field: FieldName
        let author: Handheld
        let corrector: Handheld
        private let holders: [Handheld]
        let old: Mutation
        private let new: Mutation
        private let copies: [WireRecord]

        init(_ backend: Backend, _ field: FieldName, wasSent: Bool = true) throws {
            let yard = try Yard(backend)
            let id = try yard.assign()
            let (author, corrector) = (try yard.enrol("a"), try yard.enrol("b"))
            let (early, late) = (try yard.enrol("c"), try yard.enrol("d"))
            try author.pull()
            let backup = try yard.backUp()
            // By their policies the older ones would win.
            let values: [FieldValue] =
                switch field {
                case "health": [.string("CRITICAL"), .string("OPTIMAL")]
                case "high", "pressure": [.integer(2), .integer(1)]
                default: [.string("old"), .string("new")]
                }
            old = author.change(id, [field: values[0]])
            try author.push(old)
            for device in [corrector, early] { try device.pull() }
            new = corrector.change(id, [field: values[1]])
            if wasSent {
                try corrector.push(new)
                try late.pull()
            }
            copies = [early, late].compactMap { $0.confirmed[id] }
            (self.yard, self.id, self.field) = (yard, id, field)
            (self.author, self.corrector, holders) = (author, corrector, [early, late])
            try yard.restore(backup)
        }

        /// - Returns: what the visitor is told.
        @discardableResult
        func visit(_ visitor: Visitor) throws -> [Verdict.Status] {
            switch visitor {
            case .author: return try author.push(author.again(old)).map(\.status)
            case .corrector: return try corrector.push(corrector.again(new)).map(\.status)
            case .holderOfOld:
                #expect(try holders[0].offer([copies[0]], to: yard).map(\.status) == [.taken])
            case .holderOfNew:
                #expect(try holders[1].offer([copies[1]], to: yard).map(\.status) == [.taken])
            }
            return []
        }

        func expectCorrected(_ comment: Comment) throws {
            let stored = try yard.everything()[id]?.fields[field]
            #expect(stored?.value == new.changes[field]?.value, comment)
            #expect(stored?.stamp.node == corrector.node, comment)
            #expect(try yard.store.openReviews().isEmpty, comment)
            let history = try yard.store.history(of: id).entries.filter { $0.column == field }
            #expect(history.map(\.value) == [old.changes[field]?.value], comment)
            #expect(history.map(\.node) == [author.node], comment)
        }
    }

    /// All orders in which these may come.
    private static func orders(of visitors: [Visitor]) -> [[Visitor]] {
        guard !visitors.isEmpty else { return [[]] }
        return visitors.flatMap { first in
            orders(of: visitors.filter { $0 != first }).map { [first] + $0 }
        }
    }

    @Test(
        "T86 a knowing correction stands again and nobody is asked, whoever comes in whatever order",
        arguments: Backend.allCases, ["notes", "pressure", "health", "high"])
    func everyOrder(backend: Backend, field: FieldName) throws {
        for order in Self.orders(of: Visitor.allCases) {
            let day = try Correction(backend, field)
            for visitor in order {
                let told = try day.visit(visitor)
                #expect(told.allSatisfy { [.applied, .merged].contains($0) }, "\(order)")
            }
            try day.expectCorrected("\(order)")
        }
    }

    @Test(
        "T86 so does one that was not sent yet, also where it comes before what it corrects",
        arguments: Backend.allCases, ["notes", "pressure", "health", "high"])
    func unsent(backend: Backend, field: FieldName) throws {
        for order in Self.orders(of: [.author, .corrector, .holderOfOld]) {
            let day = try Correction(backend, field, wasSent: false)
            for visitor in order {
                let told = try day.visit(visitor)
                #expect(told.allSatisfy { [.applied, .merged].contains($0) }, "\(order)")
            }
            try day.expectCorrected("\(order)")
        }
    }

    @Test(
        "T86 what came since the restore is asked about once: the correction, not what it corrected",
        arguments: Backend.allCases, [false, true])
    func contested(backend: Backend, correctorFirst: Bool) throws {
        let day = try Correction(backend, "notes")
        let since = try day.yard.enrol("e")
        try since.pull()
        try since.push(since.change(day.id, ["notes": .string("since")]))
        if correctorFirst {
            #expect(try day.visit(.corrector) == [.conflict])
            #expect(try day.visit(.author) == [.merged])
        } else {
            #expect(try day.visit(.author) == [.conflict])
            #expect(try day.visit(.corrector) == [.conflict])
        }
        #expect(try day.yard.everything()[day.id]?.fields["notes"]?.value == .string("since"))
    }

    @Test(
        "T86 what somebody entered over the correction since is not asked about the old value",
        arguments: Backend.allCases, [Visitor.author, .holderOfOld])
    func overCorrection(backend: Backend, late: Visitor) throws {
        let day = try Correction(backend, "notes")
        try day.visit(.corrector)
        let since = try day.yard.enrol("e")
        try since.pull()
        try since.push(since.change(day.id, ["notes": .string("since")]))
        #expect(try day.visit(late).allSatisfy { $0 == .merged })
        #expect(try day.yard.everything()[day.id]?.fields["notes"]?.value == .string("since"))
        #expect(try day.yard.store.openReviews().isEmpty)
        let history = try day.yard.store.history(of: day.id).entries
        #expect(history.map(\.value) == [.string("new"), .string("old")])
    }

    @Test(
        "T86 an edit that had not seen the value is asked about, though it comes from before as well",
        arguments: Backend.allCases, [false, true])
    func concurrent(backend: Backend, isOwnFirst: Bool) throws {
        let day = try Correction(backend, "notes")
        let stranger = try day.yard.enrol("e")
        try stranger.pull()
        let blind = stranger.change(day.id, ["notes": .string("blind")])
        stranger.cursor = day.author.cursor
        if isOwnFirst {
            try day.visit(.author)
            #expect(try stranger.push(blind).map(\.status) == [.conflict])
        } else {
            #expect(try stranger.push(blind).map(\.status) == [.applied])
            #expect(try day.visit(.author) == [.conflict])
        }
    }

    @Test(
        "T86 of a device that does not say what versions its changes had, a value is known by itself",
        arguments: Backend.allCases)
    func olderProgram(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let (first, second) = (try yard.enrol("a"), try yard.enrol("b"))
        try first.pull()
        let backup = try yard.backUp()
        let old = first.change(id, ["notes": .string("old")])
        try first.push(old)
        try second.pull()
        let new = second.change(id, ["notes": .string("new")])
        try second.push(new)
        try yard.restore(backup)
        for device in [first, second] { device.hasExactBases = false }
        #expect(try first.push(old).map(\.status) == [.applied])
        #expect(try second.push(new).map(\.status) == [.applied])
        #expect(try yard.everything()[id]?.fields["notes"]?.value == .string("new"))
    }

    @Test(
        "T86 whoever is asked about a value of his own is asked alone; a copy of it stays in history",
        arguments: Backend.allCases, [true, false])
    func askedAlone(backend: Backend, authorFirst: Bool) throws {
        let day = try Correction(backend, "notes")
        let since = try day.yard.enrol("e")
        try since.pull()
        try since.push(since.change(day.id, ["notes": .string("since")]))
        if authorFirst { #expect(try day.visit(.author) == [.conflict]) }
        try day.visit(.holderOfOld)
        try day.visit(.holderOfOld)
        if !authorFirst { #expect(try day.visit(.author) == [.quarantined]) }
        #expect(try day.yard.store.openReviews().count == (authorFirst ? 0 : 1))
        let history = try day.yard.store.history(of: day.id).entries
        #expect(history.map(\.value) == (authorFirst ? [.string("old")] : []))
        #expect(history.allSatisfy { $0.rule == "ask" && $0.node == day.author.node })
    }

    @Test(
        "T86 what its author brings under a new node, and others as his former one's, is one change",
        arguments: Backend.allCases, [true, false])
    func underNewNode(backend: Backend, authorFirst: Bool) throws {
        let day = try Correction(backend, "notes", wasSent: false)
        let again = day.author.again(day.old)
        day.author.takeNewNode("node-anew")
        if !authorFirst { try day.visit(.holderOfOld) }
        #expect(try day.author.push(again).map(\.status) == [.applied])
        let since = try day.yard.enrol("e")
        try since.pull()
        try since.push(since.change(day.id, ["notes": .string("since")]))
        try day.visit(.holderOfOld)
        #expect(try day.yard.everything()[day.id]?.fields["notes"]?.value == .string("since"))
        #expect(try day.yard.store.openReviews().isEmpty)
        #expect(try day.yard.store.history(of: day.id).entries.map(\.value) == [.string("old")])
    }

    // MARK: Deletions

    /// The author enters a value and the other device deletes the record, or has the deletion still to
    /// send; then the server is set back behind both.
    private func deletion(
        _ backend: Backend, isSeen: Bool, wasSent: Bool
    ) throws -> (yard: Yard, id: RecordID, author: Handheld, other: Handheld, both: [Mutation]) {
        let (yard, id, author, other) = try Yard.pair(backend)
        let below = other.mutation(
            "f1", table: RecordTable.finding, parent: id, .insert, ["text": .string("leak")])
        try other.push(below)
        let backup = try yard.backUp()
        let edit = author.change(id, ["notes": .string("cracked")])
        try author.push(edit)
        if isSeen { try other.pull() }
        let deletion = other.delete(id)
        if wasSent { try other.push(deletion) }
        try yard.restore(backup)
        return (yard, id, author, other, [edit, deletion])
    }

    @Test(
        "T86 a deletion is looked at after a restore only if it had not seen what stood",
        arguments: Backend.allCases, [true, false])
    func deletedSeen(backend: Backend, isSeen: Bool) throws {
        for (wasSent, isCopy) in [(true, false), (true, true), (false, false), (false, true)] {
            let day = try deletion(backend, isSeen: isSeen, wasSent: wasSent)
            if isCopy {
                let witness = try #require(day.author.confirmed[day.id])
                _ = try day.author.offer([witness], to: day.yard)
            } else {
                try day.author.push(day.author.again(day.both[0]))
            }
            var deletion = day.both[1]
            if wasSent {
                let version = day.other.confirmed[day.id]?.version ?? 0
                deletion.changes[Mutation.deletedField]?.formerVersion = version
                day.other.hasExactBases = false
            }
            let told = try day.other.push(deletion).map(\.status)
            #expect(told == [isSeen ? .applied : .merged], "\(wasSent) \(isCopy)")
            #expect(try day.yard.store.openReviews().isEmpty == isSeen, "\(wasSent) \(isCopy)")
            #expect(try day.yard.everything()[day.id]?.isDeleted == true)
        }
    }
}
