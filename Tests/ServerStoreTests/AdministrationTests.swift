import Coding
import Forms
import Replication
import ServerStore
import TestSupport
import Testing

@Suite("Conformance: teams, devices, forms, imports, exports")
struct AdministrationTests {
    // MARK: Enrolment

    private func enrolment(_ secret: UInt8, node: NodeID = "n", token: UInt8 = 1) -> Enrolment {
        Enrolment(
            secretHash: [secret], deviceName: "handheld", node: node, publicKey: "",
            tokenHash: [token])
    }

    @Test("a code enrols one device, once, before it expires", arguments: Backend.allCases)
    func codes(backend: Backend) throws {
        let yard = try Yard(backend)
        let issued = try yard.store.issueCode(
            team: "north", deviceName: "Bay 3", secretHash: [1], validFor: 1000)
        #expect(issued.expires == yard.clock.now + 1000)
        let device = try yard.store.enrol(enrolment(1))
        #expect(device.name == "Bay 3" && device.team.name == "north" && device.state == .active)
        #expect(refusal { _ = try yard.store.enrol(enrolment(1, node: "m")) } == .codeUsed)
        #expect(refusal { _ = try yard.store.enrol(enrolment(9)) } == .codeUnknown)
        _ = try yard.store.issueCode(
            team: "north", deviceName: nil, secretHash: [2], validFor: 1000)
        #expect(refusal { _ = try yard.store.enrol(enrolment(2, token: 2)) } == .nodeTaken)
        yard.clock.advance(milliseconds: 1000)
        #expect(refusal { _ = try yard.store.enrol(enrolment(2, node: "m")) } == .codeExpired)
        #expect(try yard.store.device(tokenHash: [1], node: nil) == device)
        #expect(try yard.store.device(tokenHash: [2], node: nil) == nil)
    }

    @Test("teams and names are checked", arguments: Backend.allCases)
    func names(backend: Backend) throws {
        let yard = try Yard(backend)
        #expect(refusal { _ = try yard.store.addTeam(named: "north") } == .nameTaken)
        for name in ["", "  ", "a\u{1B}[2J", String(repeating: "x", count: 201)] {
            #expect(refusal { _ = try yard.store.addTeam(named: name) } == .badName)
        }
        let unknown = refusal {
            _ = try yard.store.issueCode(
                team: "west", deviceName: nil, secretHash: [1], validFor: 1)
        }
        #expect(unknown == .unknownTeam)
        #expect(try yard.store.teams().map(\.name) == ["north", "south"])
        #expect(refusal { try yard.store.revokeDevice(id: "none") } == .unknownDevice)
    }

    // MARK: Forms

    @Test("a version is published once and for ever", arguments: Backend.allCases)
    func forms(backend: Backend) throws {
        let yard = try Yard(backend)
        #expect(try yard.store.publish(try Yard.form()) == false)
        #expect(try yard.store.publish(try Yard.form(version: "2")) == true)
        let changed = try FormDefinition(
            id: "cold", version: "2", title: "Other",
            sections: [
                Section(
                    name: "s", title: "S",
                    questions: [Question(path: "q", label: "Q", type: .integer)])
            ])
        #expect(refusal { try yard.store.publish(changed) } == .formDiffers)
        #expect(
            try yard.store.publishedForms() == [
                FormListing(id: "cold", version: "1", title: "Cold", state: "open"),
                FormListing(id: "cold", version: "2", title: "Cold", state: "open"),
            ])
        let document = try #require(try yard.store.form(id: "cold", version: "2"))
        #expect(
            try FormDefinition(json: JSON.parse(document.definition)) == Yard.form(version: "2"))
        #expect(try yard.store.form(id: "cold", version: "3") == nil)
    }

    // MARK: Import and export

    @Test("a second import of the same file changes nothing", arguments: Backend.allCases)
    func reimport(backend: Backend) throws {
        let yard = try Yard(backend)
        let sites = [
            SiteRow(id: "S1", name: "Dock", team: "north"),
            SiteRow(id: "S2", name: "Hold", team: "south"),
        ]
        #expect(try yard.store.importSites(sites) == ImportReport(unchanged: 2))
        let before = try yard.everything()
        let row = AssetRow(id: "A1", site: "S1", tag: "RT-1", name: "Chiller", model: "X")
        #expect(try yard.store.importAssets([row]) == ImportReport(updated: 1))
        #expect(try yard.store.importAssets([row]) == ImportReport(unchanged: 1))
        let after = try yard.everything()
        #expect(after.count == before.count)
        #expect(after[ImportedID.asset("A1")]?.fields["@model"]?.value == .string("X"))
    }

    @Test(
        "an assignment makes one inspection, which a second import leaves as it is",
        arguments: Backend.allCases)
    func assignments(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        #expect(device.value(id, "@state") == .string("assigned"))
        #expect(device.value(id, "@asset") == .string("RT-1"))
        #expect(device.value(id, "@due") == .string("2026-03-31"))
        #expect(device.confirmed[id]?.parent == ImportedID.asset("A1"))
        try device.push(device.change(id, ["@state": .string("inProgress")]))
        try yard.assign()
        try device.pull()
        #expect(device.value(id, "@state") == .string("inProgress"))
    }

    @Test("a wrong row is named, and nothing of its file is taken", arguments: Backend.allCases)
    func wrongRows(backend: Backend) throws {
        let yard = try Yard(backend)
        func message(_ body: () throws -> Void) -> String {
            do {
                try body()
                return "nothing"
            } catch {
                return "\(error)"
            }
        }
        let good = SiteRow(id: "S3", name: "Shed", team: "north")
        let unknown = SiteRow(id: "S4", name: "Shed", team: "west")
        #expect(
            message { _ = try yard.store.importSites([good, unknown]) }
                == "row 3: there is no team 'west'")
        #expect(try yard.everything()[ImportedID.site("S3")] == nil)
        #expect(
            message { _ = try yard.store.importSites([SiteRow(id: " ", name: "x", team: "north")]) }
                == "row 2: id is empty")
        #expect(
            message {
                _ = try yard.store.importAssets([AssetRow(id: "A9", site: "S9", tag: "T")])
            } == "row 2: there is no site 'S9'; import sites first")
        #expect(
            message {
                _ = try yard.store.importAssets([AssetRow(id: "A1", site: "S2", tag: "T")])
            } == "row 2: asset 'A1' stands at another site; give it a new id there")
        for (row, expected) in [
            (AssignmentRow(asset: "A9", form: "cold", due: "2026-03-31"), "no asset 'A9'"),
            (AssignmentRow(asset: "A1", form: "hot", due: "2026-03-31"), "no open form 'hot'"),
            (AssignmentRow(asset: "A1", form: "cold", due: "31.3."), "due is not a day"),
        ] {
            let text = message { _ = try yard.store.importAssignments([row]) }
            #expect(text.contains(expected), "\(text)")
        }
    }

    @Test(
        "an export holds the answers, without what was cleared or deleted",
        arguments: Backend.allCases)
    func export(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let other = try yard.assign(due: "2026-04-30")
        let device = try yard.enrol("a")
        try device.pull()
        try device.push(
            device.change(id, ["notes": .string("x"), "high": .integer(3), "low": .null]))
        try device.push(device.delete(other))
        let rows = try yard.store.export(form: "cold")
        #expect(
            rows == [
                ExportRow(
                    id: id, form: "cold", formVersion: "1", asset: "RT-1", state: "assigned",
                    version: 2, fields: ["notes": .string("x"), "high": .integer(3)])
            ])
        #expect(try yard.store.export(form: "hot") == [])
        #expect(try yard.store.export(form: nil) == rows)
    }

    @Test("what was stored is there after a restart", arguments: Backend.allCases)
    func restart(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        try device.push(device.change(id, ["notes": .string("x")]))
        let epoch = try yard.store.serverEpoch()
        try yard.restart()
        #expect(try yard.store.serverEpoch() == epoch)
        try device.pull()
        #expect(device.value(id, "notes") == .string("x"))
        #expect(try device.push(device.change(id, ["notes": .string("y")]))[0].version == 3)
    }
}
