import Coding
import Replication
import SQLite
import TestSupport
import Testing

@testable import LocalStore

/// The digest says *nothing is missing*, so it has to notice when something is.
struct SiteDigestTests {
    private let device: Device
    private let server = StoryServer()

    init() throws { device = try Device() }

    private func publishSite(_ number: Int) {
        let site = RecordID("site-\(number)")
        let asset = RecordID("asset-\(number)")
        server.edit(site, ["@title": .string("Site \(number)")], table: RecordTable.site)
        server.edit(asset, ["@tag": .string("T\(number)")], table: RecordTable.asset, parent: site)
        server.edit(RecordID("visit-\(number)"), ["doors": .integer(1)], parent: asset)
    }

    @Test("device and server agree site by site, in whatever order the records came")
    func agreement() throws {
        for number in 1...3 { publishSite(number) }
        let page = try server.pull(device.store.pullRequest())
        for order in [page.deltaRecords.reversed(), page.deltaRecords] {
            let other = try Device()
            var turned = page
            turned.deltaRecords = Array(order)
            #expect(try other.store.apply(page: turned).sitesDiffering == [])
            #expect(try other.store.digests().keys.filter { !$0.isEmpty }.count == 3)
            try other.finish()
        }
        try device.finish()
    }

    @Test("a child before its parent counts without a site, and moves when the parent comes")
    func lateParent() throws {
        publishSite(1)
        let records = try server.pull(device.store.pullRequest()).deltaRecords
        for record in records.reversed() {
            var page = try server.pull(device.store.pullRequest())
            page.deltaRecords = [record]
            page.digest = nil
            try device.store.apply(page: page)
        }
        try device.store.restartPull()
        try device.expectNothingPending(server)
        try device.finish()
    }

    @Test(
        "a site that leaves takes its sum along, in whatever order its records go",
        arguments: [["asset-1", "site-1", "visit-1"], ["visit-1", "site-1", "asset-1"]])
    func departure(order: [String]) throws {
        for number in 1...2 { publishSite(number) }
        try device.pullAll(from: server)
        let kept = try device.store.digests()["site-2"]
        // Each in a page of its own: what is remembered between two of them is in the tables.
        for id in order {
            var page = try server.pull(device.store.pullRequest())
            page.removed = [RecordID(id)]
            page.digest = nil
            try device.store.apply(page: page)
        }
        let left = try device.store.digests().filter { $0.value != SiteDigest() }
        #expect(left == ["site-2": kept])
        try device.finish()
    }

    @Test("synced is said only after equal digests, and no longer once the server has said more")
    func provenState() throws {
        publishSite(1)
        try device.pullAll(from: server)
        #expect(try device.store.status().state == "waiting")
        try device.store.note(CycleNote(digest: .equal))
        #expect(try device.store.status().state == "synced")
        server.edit("visit-1", ["doors": .integer(9)])
        try device.pullAll(from: server)
        #expect(try device.store.status().state == "waiting")
        try device.store.note(CycleNote(digest: .equal))
        #expect(try device.store.status().state == "synced")
        try device.finish()
    }

    @Test("one value that differs names its site")
    func difference() throws {
        for number in 1...3 { publishSite(number) }
        try device.pullAll(from: server)
        let page = try server.pull(device.store.pullRequest())
        let report = try #require(page.digest)
        #expect(try device.store.sitesDiffering(from: report) == [])
        server.edit("visit-2", ["doors": .integer(9)])
        let later = try #require(try server.pull(device.store.pullRequest()).digest)
        #expect(try device.store.sitesDiffering(from: later) == ["site-2"])
        try device.finish()
    }

    @Test("waiting edits are no part of the digest", arguments: [UInt64(1), 2, 3, 4])
    func walk(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        server.policies = ["doors": .lww, "notes": .lww, "facility": .union]
        var ids: [RecordID] = []
        for step in 0..<80 {
            switch random.below(7) {
            case 0: ids.append(try device.newInspection())
            case 1, 2:
                guard !ids.isEmpty else { continue }
                let value = FieldValue.integer(Int64(step))
                try device.store.set([("doors", value)], on: random.pick(ids))
            case 3:
                guard
                    let id = ids.filter({ server.records[$0] != nil }).randomElement(using: &random)
                else { continue }
                server.edit(id, ["notes": .string("n\(step)"), "doors": .integer(Int64(-step))])
            case 4: try device.pushAll(to: server)
            case 5: try device.pullAll(from: server, limit: 3)
            default:
                // The answer is lost; the process ends in between.
                if let batch = try device.store.sealBatch() { _ = try server.push(batch) }
                try device.reopen()
                try device.store.recoverInFlight()
            }
            #expect(try device.store.audit() == [], "seed \(seed), step \(step)")
        }
        try device.sync(server)
        try device.expectNothingPending(server)
        try device.finish()
    }
}
