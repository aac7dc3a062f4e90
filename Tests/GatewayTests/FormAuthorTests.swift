import Coding
import Foundation
import Inspections
import Replication
import ServerStore
import TestSupport
import Testing

@testable import Gateway

/// A small form in the trade's own format.
enum SmallXForm {
    static func text(
        version: String = "1", record: String = "<tag/><kind/><note/>", binds: String = "",
        instances: String = "",
        body: String = """
        <input ref="/data/tag"><label>Tag</label></input>
        <select1 ref="/data/kind"><label>Kind</label>
        <item><label>A</label><value>a</value></item>
        <item><label>B</label><value>b</value></item></select1>
        <input ref="/data/note"><label>Note</label></input>
        """
    ) -> String {
        """
        <h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml"
         xmlns:jr="http://openrosa.org/javarosa" xmlns:walkdown="urn:walkdown:forms:1">
        <h:head><h:title>Small</h:title><model>
        <instance><data id="small" version="\(version)">\(record)</data></instance>
        \(instances)
        \(binds)
        </model></h:head><h:body>\(body)</h:body></h:html>
        """
    }
}

@Suite("Tools for authors of forms", .timeLimit(.minutes(10)))
struct FormAuthorTests {
    /// Making one costs a password hash.
    private static func office() throws -> Office { try Office() }

    @Test(
        "an XForm is published with its list, alone and beside a server", arguments: [false, true])
    func publish(serving: Bool) throws {
        let office = try Self.office()
        let form = try office.file(
            "small.xml",
            SmallXForm.text(
                instances: #"<instance id="towns" src="jr://file-csv/towns.csv"/>"#,
                body: """
                    <select1 ref="/data/kind"><label>Town</label>
                    <itemset nodeset="instance('towns')/root/item"><value ref="name"/>
                    <label ref="label"/></itemset></select1>
                    """))
        let towns = try office.file("towns.csv", "name,label\nosl,Oslo\nbgo,Bergen\n")
        let spare = try office.file("spare.csv", "name,label\n")
        func check() throws {
            let reply = office.call("form", "publish", form, towns, spare)
            #expect(reply.status == 0 && reply.output == "small 1 published\n", "\(reply.messages)")
            #expect(reply.messages.contains("spare.csv: no form of this command asks for it"))
            #expect(office.call("form", "publish", form, towns).output.contains("already"))
            let alone = office.call("form", "publish", form)
            #expect(alone.status == 3 && alone.messages.contains("new version"))
            #expect(alone.messages.contains("other content"))
        }
        if serving { try office.serve { _ in try check() } } else { try check() }
        try office.serve { store in
            let document = try #require(try store.form(id: "small", version: "1"))
            #expect(String(decoding: document.definition, as: UTF8.self).contains("Bergen"))
        }
    }

    @Test("a form that is refused says the line, and none of its command is published")
    func refused() throws {
        let office = try Self.office()
        let good = try office.file("good.xml", SmallXForm.text())
        let bad = try office.file(
            "bad.xml",
            SmallXForm.text(binds: #"<bind nodeset="/data/tag" relevant="1 +"/>"#))
        let reply = office.call("form", "publish", good, bad)
        #expect(
            reply.status == 3 && reply.messages.contains("bad.xml: line 6"), "\(reply.messages)")
        #expect(try office.json("form", "list").asArray().isEmpty)
    }

    @Test("F39 a question that was renamed or removed is warned of when it has answers")
    func renamed() throws {
        let office = try Self.office()
        let first = try office.file("1.xml", SmallXForm.text())
        let second = try office.file(
            "2.xml",
            SmallXForm.text(
                version: "2", record: "<tag/><kind/><remark/>",
                body: """
                    <input ref="/data/kind"><label>Kind</label></input>
                    <input ref="/data/tag"><label>Tag</label></input>
                    <input ref="/data/remark"><label>Note</label></input>
                    """))
        #expect(office.call("form", "publish", first).status == 0)
        let told = office.call("form", "diff", second)
        #expect(told.output.contains("small 1 -> 2\n"))
        #expect(told.output.contains("~ note is called remark, it seems"))
        #expect(told.output.contains("! kind type: choice -> text"))
        try office.serve { store in
            let ground = Ground()
            try ground.lay(in: store)
            let device = try ground.enrol("h1", node: "n1", in: store)
            try answer(["note": .string("wet"), "kind": .string("a")], by: device, in: store)
            let reply = office.call("form", "publish", second)
            #expect(reply.status == 0)
            #expect(reply.messages.contains("note has 1 answer and is called remark now"))
            #expect(reply.messages.contains("kind has another type now (choice, then text)"))
        }
        let rows = office.call("export", "--form", "small").output.split(separator: "\n")
        #expect(
            rows.first
                == "id,form,formVersion,asset,state,version,tag,kind,note,meta/instanceID,remark")
        #expect(rows.last?.hasSuffix(",a,wet,,") == true)
        let document = try office.json("form", "diff", "small", "1", "2")
        #expect(
            try document.array("removed") { value throws(CodingError) in try value.asString() } == [
                "note"
            ])
        #expect(office.call("form", "diff", "small").output == told.output)
        #expect(office.call("form", "diff", "small", "1", "7").status == 1)
        #expect(office.call("form", "diff", "small", "1").status == 2)
    }

    private func answer(
        _ values: [FieldName: FieldValue], by device: Device, in store: any Store
    ) throws {
        let fields = values.merging([
            "@form": .string("small"), "@formVersion": .string("1"),
            "@state": .string("inProgress"),
        ]) { $1 }
        let mutation = Mutation(
            id: "m1", sequence: 1, table: RecordTable.inspection, record: "i1", parent: nil,
            operation: .insert, lamport: 1,
            changes: fields.mapValues {
                FieldChange(value: $0, baseValue: .null, baseVersion: 0, lamport: 1)
            }, createdAtUtc: "2026-03-02T08:00:00.000Z", schemaVersion: 1)
        let batch = PushRequest(
            clientNodeId: "n1", clientEpoch: 1, baton: nil, pullPosition: nil,
            mutations: [mutation])
        #expect(try store.push(batch, from: device).results.map(\.status) == [.applied])
    }

    @Test("a form that is closed takes no new inspection, and goes on where it was begun")
    func close() throws {
        let office = try Self.office()
        for version in ["1", "2"] {
            let form = try office.file("\(version).xml", SmallXForm.text(version: version))
            #expect(office.call("form", "publish", form).status == 0)
        }
        _ = office.call("team", "add", "North")
        _ = office.call(
            "import", "sites", try office.file("s.csv", "id,name,team\nS1,Dock,North\n"))
        _ = office.call("import", "assets", try office.file("a.csv", "id,site,tag\nA1,S1,RT-1\n"))
        let due = try office.file("d.csv", "asset,form,due\nA1,small,2026-03-31\n")
        #expect(office.call("form", "close", "small", "2").output == "small 2 closed\n")
        #expect(office.call("import", "assignments", due).status == 0)
        #expect(try office.json("export").asArray().first?.string("formVersion") == "1")
        #expect(office.call("form", "close", "small").output == "small 1 closed\n")
        #expect(office.call("form", "close", "small").output.contains("already"))
        let later = try office.file("l.csv", "asset,form,due\nA1,small,2026-04-30\n")
        let reply = office.call("import", "assignments", later)
        #expect(reply.status == 3 && reply.messages.contains("no open form"))
        #expect(office.call("form", "close", "nothing").status == 1)
        let states = try office.json("form", "list").asArray().map { try $0.string("state") }
        #expect(states == ["closed", "closed"])
        #expect(office.call("form", "reopen", "small", "2").output == "small 2 open\n")
        #expect(office.call("form", "reopen", "small", "2").output.contains("already"))
        #expect(office.call("import", "assignments", later).status == 0)
        #expect(office.call("form", "reopen", "nothing").status == 1)
    }

    @Test("export has no two columns that are called alike")
    func exportedNames() throws {
        let office = try Self.office()
        let form = try office.file(
            "small.xml",
            SmallXForm.text(
                record: "<state/><state_/><pump><position/></pump>",
                body: """
                    <input ref="/data/state"/><input ref="/data/state_"/>
                    <repeat nodeset="/data/pump"><input ref="/data/pump/position"/></repeat>
                    """))
        #expect(office.call("form", "publish", form).status == 0)
        try office.serve { store in
            let ground = Ground()
            try ground.lay(in: store)
            let device = try ground.enrol("h1", node: "n1", in: store)
            try answer(["state": .string("fine"), "state_": .string("b")], by: device, in: store)
            let lines = office.call("export", "--form", "small").output.split(separator: "\n")
            #expect(lines[0].hasPrefix("id,form,formVersion,asset,state,version,state__,state_,"))
            #expect(lines[1].contains(",inProgress,1,fine,b"), "\(lines[1])")
            let rows = office.call("export", "--form", "small", "--repeat", "pump").output
            #expect(
                rows == """
                    id,inspection,parent,position,form,formVersion,asset,state,version,pump/position

                    """)
        }
    }

    @Test("F40 another version takes no device's access away")
    func access() throws {
        let office = try Self.office()
        let first = try office.file("1.xml", SmallXForm.text())
        let second = try office.file("2.xml", SmallXForm.text(version: "2"))
        #expect(office.call("form", "publish", first).status == 0)
        try office.serve { store in
            let ground = Ground()
            try ground.lay(in: store)
            let device = try ground.enrol("h1", node: "n1", in: store)
            try answer(["note": .string("before")], by: device, in: store)
            let before = try store.pull(PullRequest(cursor: nil), by: device).deltaRecords
            #expect(office.call("form", "publish", second).status == 0)
            let after = try store.pull(PullRequest(cursor: nil), by: device).deltaRecords
            #expect(before == after)
            #expect(try store.device(id: device.id)?.state == .active)
            #expect(
                try store.publishedForms().filter { $0.id == "small" }.map(\.state)
                    == ["open", "open"])
            #expect(try store.form(id: "small", version: "1") != nil)
        }
    }
}
