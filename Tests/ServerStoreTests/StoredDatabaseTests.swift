import Coding
import Foundation
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

/// Databases of every schema that was ever released: what devices have sent to an older server is
/// all there after an upgrade, and the devices go on where they stopped.
@Suite("Databases that earlier versions wrote")
struct StoredDatabaseTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Databases").path
    static let names = Result {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".db") }
            .sorted()
    }

    private func open(_ name: String) throws -> Yard {
        try Yard(.sqlite, copying: Self.folder + "/" + name)
    }

    @Test("there is one of the first released schema")
    func some() throws {
        #expect(try Self.names.get().contains("schema-3.db"))
    }

    @Test("nothing that devices had sent is missing")
    func contents() throws {
        for name in try Self.names.get() {
            let yard = try open(name)
            let here = try yard.everything()
            #expect(here[StoredDay.inspection]?.fields["notes"]?.value == .string("ice"), "\(name)")
            #expect(here[StoredDay.inspection]?.fields["pressure"]?.value == .integer(150))
            #expect(here["far"]?.isDeleted == false)
            #expect(here["gone"]?.isDeleted == true, "the tombstone")
            let reviews = try yard.store.openReviews()
            #expect(reviews.map(\.mine) == [.integer(160)], "\(name)")
            #expect(Set(try yard.store.devices().map(\.name)).isSuperset(of: StoredDay.names))
            #expect(try yard.store.publishedForms().map(\.version) == ["1"])
        }
    }

    @Test("a device pulls on from the cursor it had, and hears what was decided meanwhile")
    func pullsOn() throws {
        for name in try Self.names.get() {
            let yard = try open(name)
            let second = try StoredDay.handheld("b", of: yard)
            try second.pull()
            #expect(second.results.map(\.mutationId) == ["b-pressure"], "\(name)")
            #expect(second.results.map(\.status) == [.merged])
            #expect(second.confirmed["gone"]?.isDeleted == true, "it came after the cursor")
            #expect(second.confirmed["far"] != nil, "its site joined the scope")
            let report = try #require(second.lastPage?.digest)
            #expect(report.position == second.cursor)
            let other = try StoredDay.handheld("a", of: yard)
            try other.pull()
            #expect(other.results == [], "the decision is for the other node")
        }
    }

    @Test("a mutation that was answered then gets the same answer, a new one is merged")
    func pushesOn() throws {
        for name in try Self.names.get() {
            let yard = try open(name)
            let first = try StoredDay.handheld("a", of: yard)
            let again = try first.push(StoredDay.notes)
            #expect(again.map(\.status) == [.applied], "\(name)")
            first.cursor = nil
            try first.pull()
            let next = first.change(StoredDay.inspection, ["notes": .string("no ice")])
            #expect(try first.push(next).map(\.status) == [.applied])
            #expect(
                try yard.everything()[StoredDay.inspection]?.fields["notes"]?.value
                    == .string("no ice"))
        }
    }

    @Test("a review that was open then is decided now")
    func decides() throws {
        for name in try Self.names.get() {
            let yard = try open(name)
            let item = try #require(try yard.store.openReviews().first)
            try yard.store.resolve(
                review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
            #expect(
                try yard.everything()[StoredDay.inspection]?.fields["pressure"]?.value
                    == .integer(160))
        }
    }

    @Test("a database that was migrated is migrated once")
    func once() throws {
        for name in try Self.names.get() {
            let yard = try open(name)
            let before = try yard.everything().count
            try yard.restart()
            #expect(try yard.everything().count == before, "\(name)")
        }
    }

    /// Not a test of anything: makes the file of today's schema where there is none.
    @Test(
        "recording",
        .enabled(if: ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1"))
    func record() throws {
        let yard = try Yard(.sqlite)
        try StoredDay.play(on: yard)
        try yard.store.close()
        let name = "schema-\(try schemaSteps(of: yard.folder.file("server.db"))).db"
        let target = Self.folder + "/" + name
        guard !FileManager.default.fileExists(atPath: target) else { return }
        try FileManager.default.copyItem(atPath: yard.folder.file("server.db"), toPath: target)
    }
}
