import Coding
import Foundation
import TestSupport
import Testing

/// A site goes to another team while a handheld of the first one is out with work on it.
@Suite("A site that leaves the scope", .serialized)
struct LostScopeTests {
    @Test("T88 what was entered before the news goes to review, what is entered after is refused")
    func lost() throws {
        let world = try World()
        let device = try world.enrol("north")
        let id = try device.inspection(of: "FRZ-1")
        try device.run("set", id, "notes=entered before")
        try world.administer("team", "add", "other")
        let sites = try world.folder.write("id,name,team\nS1,Harbour,other\n", to: "moved.csv")
        try world.administer("import", "sites", sites)

        // Each cycle pulls first: the device hears of the loss before it sends anything.
        try device.run("sync", expecting: 5)
        #expect(try device.status()["inReview"] == 1)
        #expect(try device.status()["failed"] == 0)
        #expect(try world.administer("review", "list").contains("scope"))

        try device.run("set", id, "temperature_c=-18")
        try device.run("sync", expecting: 5)
        #expect(try device.status()["inReview"] == 1)
        #expect(try device.status()["failed"] == 1, "refused, and kept here")
        #expect(try device.run("outbox").contains("out_of_scope"))

        // Nothing of it was merged behind the back of those who have the site now.
        #expect(try !world.administer("export").contains("entered before"))
    }
}
