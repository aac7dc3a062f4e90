import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// Devices that were upgraded before the server, and others after it. The next version of the
/// program has permits below inspections, and the weather in each inspection.
@Suite("Conformance: programs one version apart")
struct NewerPeerTests {
    static let next: RecordModel = {
        var model = RecordModel.current
        model.version += 1
        model.parents["permit"] = [RecordTable.inspection, "permit"]
        model.builtInFields.insert("@weather")
        return model
    }()

    private let boss = Supervisor(name: "kim")

    /// A server, the inspection that all work on, and a device of the next version.
    private func yard(
        _ backend: Backend, model: RecordModel = .current
    ) throws -> (Yard, RecordID, Handheld) {
        let yard = try Yard(backend, model: model)
        let id = try yard.assign()
        return (yard, id, try newer("new", in: yard))
    }

    private func newer(_ name: String, in yard: Yard, team: String = "north") throws -> Handheld {
        let device = try yard.enrol(name, team: team)
        device.schemaVersion = Self.next.version
        try device.pull()
        return device
    }

    private func permit(
        _ record: RecordID, _ device: Handheld, under parent: RecordID?,
        _ values: [FieldName: FieldValue] = ["hot_work": .integer(1)]
    ) -> Mutation {
        device.mutation(record, table: "permit", parent: parent, .insert, values)
    }

    // MARK: Together

    @Test(
        "T82 devices and a server one version apart work on one inspection for a week",
        arguments: [false, true], [false, true])
    func week(isDeviceNew: Bool, isServerNew: Bool) throws {
        let yard = try Yard(.sqlite, model: isServerNew ? Self.next : .current)
        let id = try yard.assign()
        let devices = [try yard.enrol("a"), try yard.enrol("b"), try newer("c", in: yard)]
        if isDeviceNew { devices[0].schemaVersion = Self.next.version }
        for day in 1...7 {
            for device in devices { try device.pull() }
            var work = [
                devices[0].change(id, ["high": .integer(Int64(day))]),
                devices[1].change(id, ["place": .string("day \(day)")]),
                devices[2].change(id, ["notes": .string("day \(day)")]),
            ].map { [$0] }
            for (index, device) in devices.enumerated()
            where device.schemaVersion == Self.next.version {
                let name = RecordID("permit-\(index)-\(day)")
                work[index].append(permit(name, device, under: id))
                let yesterday = RecordID("permit-\(index)-\(day - 1)")
                if day > 1 { work[index].append(device.change(yesterday, ["until": .integer(9)])) }
                if index == 2 {
                    work[index].append(device.change(id, ["@weather": .string("rain \(day)")]))
                }
            }
            for (device, mutations) in zip(devices, work) {
                let statuses = try device.push(mutations).map(\.status)
                #expect(statuses.allSatisfy { [.applied, .merged].contains($0) })
            }
        }
        try expectAgreement(of: devices, in: yard)
        #expect(devices[1].value(id, "@weather") == .string("rain 7"))
        #expect(devices[1].value("permit-2-6", "until") == .integer(9))
        #expect((devices[1].confirmed["permit-0-7"] != nil) == isDeviceNew)
        // The upgrade of the server, and its way back, change nothing of what stands.
        let before = devices[1].confirmed
        for model in [Self.next, .current] {
            try yard.restart(model: model)
            try expectAgreement(of: devices, in: yard)
            #expect(devices[1].confirmed == before)
        }
    }

    /// All have the same, which is what a device that begins anew gets, and so do the sums.
    private func expectAgreement(of devices: [Handheld], in yard: Yard) throws {
        let fresh = try yard.everything()
        for device in devices {
            try device.pull()
            #expect(device.confirmed == fresh)
            let report = try #require(device.lastPage?.digest)
            #expect(report.sites.filter { $0.value != SiteDigest() } == device.digests)
        }
    }

    @Test(
        "T46 an old device keeps what it does not know, and edits it once it was upgraded",
        arguments: Backend.allCases)
    func upgradedLater(backend: Backend) throws {
        let (yard, id, new) = try yard(backend)
        let old = try yard.enrol("old")
        try new.push(
            permit("p1", new, under: id), permit("p2", new, under: "p1", [:]),
            new.change(id, ["torque": .double(40.5)]))
        try old.pull()
        #expect(old.confirmed["p2"]?.parent == "p1")
        #expect(old.value(id, "torque") == .double(40.5))
        try old.push(old.change(id, ["notes": .string("seen")]))
        #expect(old.value(id, "torque") == .double(40.5))
        let cursor = old.cursor
        old.schemaVersion = Self.next.version
        let edits = [
            old.change("p1", ["hot_work": .integer(0)]), old.change(id, ["torque": .integer(41)]),
            old.delete("p2"),
        ]
        #expect(try old.push(edits).map(\.status) == [.applied, .applied, .applied])
        #expect(old.cursor == cursor, "nothing had to be fetched again")
        try new.pull()
        #expect(new.value("p1", "hot_work") == .integer(0))
        #expect(new.value(id, "torque") == .integer(41))
        #expect(new.confirmed["p2"]?.isDeleted == true)
    }

    @Test(
        "what nobody here knows is never written over: the inspector decides",
        arguments: Backend.allCases)
    func conflict(backend: Backend) throws {
        let (yard, id, first) = try yard(backend)
        try first.push(permit("p1", first, under: id))
        let second = try newer("other", in: yard)
        let fields = [(id, "torque"), (id, "@weather"), ("p1", "hot_work"), ("p1", "@shift")]
        for (record, field) in fields {
            try first.push(first.change(record, [field: .integer(5)]))
            let verdict = try second.push(second.change(record, [field: .integer(6)]))[0]
            #expect(verdict.status == .conflict, "\(field)")
            #expect(verdict.conflicts.map(\.rule) == ["ask"])
            #expect(second.value(record, field) == .integer(5))
            #expect(
                try second.push(second.change(record, [field: .integer(6)]))[0].status == .applied,
                "on what was shown")
        }
    }

    @Test("an unknown field goes to review with the record's scope, and can be taken")
    func parked() throws {
        let (yard, id, new) = try yard(.sqlite)
        let work = [
            new.change(id, ["torque": .integer(41), "@weather": .integer(3)]),
            permit("p1", new, under: id),
        ]
        _ = try yard.store.importSites([SiteRow(id: "S1", name: "Dock", team: "south")])
        #expect(try new.push(work).map(\.status) == [.quarantined, .quarantined])
        for item in try yard.store.openReviews() {
            try yard.store.resolve(review: item.id, .mine, comment: nil, by: boss)
        }
        let south = try yard.enrol("s", team: "south")
        try south.pull()
        #expect(south.value(id, "torque") == .integer(41))
        #expect(south.value(id, "@weather") == .integer(3))
        #expect(south.value("p1", "hot_work") == .integer(1))
    }

    @Test("an approval and an export go by what the form asks", arguments: Backend.allCases)
    func approval(backend: Backend) throws {
        let (yard, id, new) = try yard(backend)
        try new.push(
            new.change(id, ["torque": .string("none"), "@weather": .integer(1)]),
            new.change(id, ["notes": .string("cold"), "@state": .string("complete")]))
        try yard.store.approve(inspection: id, by: boss)
        let row = try #require(try yard.store.export(form: "cold").first)
        #expect(row.state == "approved")
        #expect(row.fields == ["notes": .string("cold")])
        #expect(try yard.everything()[id]?.fields["torque"]?.value == .string("none"))
        let late = [new.change(id, ["torque": .string("late")]), permit("p1", new, under: id)]
        #expect(try new.push(late).map(\.error?.code) == ["locked", "locked"])
    }
}

/// What stays refused.
extension NewerPeerTests {
    @Test(
        "an unknown name is a mistake where the device is not newer",
        arguments: Backend.allCases, [false, true])
    func mistake(backend: Backend, isServerNew: Bool) throws {
        let (yard, id, device) = try yard(backend, model: isServerNew ? Self.next : .current)
        try device.push(permit("p1", device, under: id))
        let newest = isServerNew ? Self.next.version : RecordModel.current.version
        for version in 0...newest {
            device.schemaVersion = version
            let verdicts = try device.push(
                device.change(id, ["torque": .integer(41)]),
                device.mutation("x1", table: "weather", parent: id, .insert, ["a": .integer(1)]),
                device.change(id, ["high": .integer(version)]))
            #expect(
                verdicts.map(\.error?.code) == ["unknown_question", "unknown_table", nil],
                "version \(version)")
            #expect(verdicts[2].status == .applied)
            guard !isServerNew else { continue }
            let edit = try device.push(device.change("p1", ["hot_work": .integer(0)]))[0]
            #expect(edit.error?.code == "unknown_table")
        }
        #expect(try yard.everything()[id]?.fields["torque"] == nil)
    }

    @Test("what a newer device says of known things is checked", arguments: Backend.allCases)
    func known(backend: Backend) throws {
        let (yard, id, new) = try yard(backend)
        let foreign = ImportedID.asset("A2")
        try new.push(new.begin("gone", asset: nil))
        try new.push(new.delete("gone"))
        let cases: [(String?, Mutation)] = [
            ("unknown_table", permit("x1", new, under: nil)),
            ("out_of_scope", permit("x2", new, under: foreign)),
            ("parent_deleted", permit("x3", new, under: "gone")),
            (nil, permit("x4", new, under: "nowhere")),
            ("invalid_value", new.change(id, ["pressure": .integer(2001)])),
            ("invalid_value", new.change(id, ["@due": .string("soon")])),
            ("invalid_value", new.change(id, ["@state": .string("paused")])),
            ("invalid_value", new.change(id, ["torque": .string("a\u{0}b")])),
            ("unknown_form", new.change(id, ["@formVersion": .string("9")])),
            (
                "not_allowed",
                new.mutation("x5", table: "site", parent: nil, .insert, ["zone": .integer(1)])
            ),
            (
                "wrong_parent",
                new.mutation(
                    "x6", table: "finding", parent: ImportedID.asset("A1"), .insert, [:])
            ),
            (
                "table_changed",
                new.mutation(id, table: "permit", parent: nil, .update, ["a": .integer(1)])
            ),
        ]
        for (code, mutation) in cases {
            let verdict = try new.push(mutation)[0]
            #expect(verdict.status == (code == nil ? .held : .rejected), "\(mutation.record)")
            #expect(verdict.error?.code == code, "\(mutation.record) \(mutation.columns)")
        }
        #expect(try yard.everything()[id]?.version == 1, "nothing of it was taken")
    }

    @Test("what belongs to an inspection may belong to an unknown part of it")
    func below() throws {
        let (_, id, new) = try yard(.sqlite)
        try new.push(permit("p1", new, under: id))
        let finding = new.mutation(
            "f1", table: "finding", parent: "p1", .insert, ["text": .string("leak")])
        let inspection = new.begin("i1", asset: "p1")
        #expect(try new.push(finding, inspection).map(\.status) == [.applied, .rejected])
        new.schemaVersion = RecordModel.current.version
        let old = new.mutation("f2", table: "finding", parent: "p1", .insert, [:])
        #expect(try new.push(old)[0].error?.code == "wrong_parent")
    }

    @Test("a program two versions ahead is told so, and nothing of it is taken")
    func tooNew() throws {
        let (yard, id, new) = try yard(.sqlite)
        new.schemaVersion = Self.next.version + 1
        let edit = new.change(id, ["notes": .string("x")])
        #expect(refusal { try new.push(edit) } == .peerTooNew)
        new.schemaVersion = Self.next.version
        #expect(refusal { try new.push(edit) } == .peerTooNew, "nor of what it made")
        #expect(try yard.everything()[id]?.version == 1)
        try yard.restart(model: Self.next)
        #expect(try new.push(edit).map(\.status) == [.applied], "after the server's upgrade")
    }

    @Test("a device cannot fill a record with names, nor beyond what others can read")
    func room() throws {
        let (_, id, new) = try yard(.sqlite)
        let text = FieldValue.string(String(repeating: "x", count: 60_000))
        try new.push(permit("p1", new, under: id, [:]))
        var taken = 0
        for index in 0..<80 {
            let verdict = try new.push(new.change("p1", ["text\(index)": text]))[0]
            guard verdict.status == .applied else {
                #expect(verdict.error?.code == "record_full")
                continue
            }
            taken += 1
        }
        #expect(taken == (4 << 20) / 60_221)
        #expect(try new.push(new.change("p1", ["text0": .null]))[0].status == .applied)

        let names = (0..<4096).map { ("f\($0)", FieldValue.integer(1)) }
        let many = Dictionary(uniqueKeysWithValues: names)
        try new.push(permit("p2", new, under: id, many))
        let more = try new.push(new.change("p2", ["one": .integer(1)]))[0]
        #expect(more.error?.code == "record_full")
        #expect(try new.push(new.change("p2", ["f7": .integer(2)]))[0].status == .applied)
        #expect(try new.push(new.change(id, ["notes": .string("x")]))[0].status == .applied)
    }
}
