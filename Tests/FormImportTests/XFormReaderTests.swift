import Testing

@testable import FormImport

@Suite("An XForm is read as its author meant it")
struct XFormReaderTests {
    @Test("title, id, version and the record with its defaults")
    func identity() throws {
        var small = SmallForm()
        small.record = "<psi> 30 </psi><kind/><lines jr:template=\"\"><length>1</length></lines>"
        small.body = """
            <group><label>Lines</label><repeat nodeset="/data/lines">
            <input ref="/data/lines/length"/></repeat></group>
            """
        let form = try small.form()
        #expect([form.title, form.id, form.version] == ["Valves", "valves", "3"])
        #expect(form.primary.children.map(\.name) == ["psi", "kind", "lines", "meta"])
        #expect(form.primary.children[0].value == "30")
        #expect(form.primary.children[2].isTemplate)
        #expect(form.primary.children[2].children[0].value == "1")
    }

    @Test("a CommCare record is known by its namespace")
    func namespaceAsIdentity() throws {
        var small = SmallForm()
        small.attributes = #"xmlns="http://example.org/valves" name="Named""#
        #expect(try small.form().id == "http://example.org/valves")
    }

    @Test("each rule of a bind, with its messages and Walkdown's own attributes")
    func bind() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="xsd:int" readonly="false()" required="true()"
             relevant="/data/kind = 'valve'" constraint=". &lt; 400" calculate="1 + 1"
             jr:constraintMsg="Too high" jr:requiredMsg="jr:itext('/data/psi:required')"
             jr:preload="property" jr:preloadParams="deviceid" walkdown:merge="quarantine"
             walkdown:unit="psi"/>
            <bind nodeset="kind" type="select1" relevant="  "/>
            """
        let form = try small.form()
        let bind = form.binds[0]
        #expect(bind.path == "/data/psi")
        #expect(bind.type == "int")
        let rules = [
            bind.readonly, bind.required, bind.relevant, bind.constraint, bind.calculate,
        ]
        #expect(
            rules.map { $0?.text }
                == ["false()", "true()", "/data/kind = 'valve'", ". < 400", "1 + 1"])
        #expect(bind.constraintMessage == .literal([.plain("Too high")]))
        #expect(bind.requiredMessage == .key("/data/psi:required"))
        #expect([bind.preload, bind.preloadParameters] == ["property", "deviceid"])
        #expect(bind.own == ["merge": "quarantine", "unit": "psi"])
        #expect(form.binds[1].path == "/data/kind")
        #expect(form.binds[1].relevant == nil)
    }

    @Test("groups, repeats and questions keep their order and nesting")
    func body() throws {
        var small = SmallForm()
        small.body = """
            <group ref="/data/lines" appearance="field-list w4"><label>Lines</label>
            <repeat nodeset="/data/lines" jr:count="/data/psi" jr:noAddRemove="true()">
            <range ref="/data/lines/length" start="1" end="9" step="2"/></repeat></group>
            <trigger ref="psi"><label>Done</label></trigger>
            <upload ref="/data/kind" mediatype="image/*" appearance="signature"/>
            """
        let form = try small.form()
        guard case .group(let group)? = form.body.first, case .repeat(let item)? = group.items.first
        else { return #expect(Bool(false), "\(form.body)") }
        #expect(group.isFieldList)
        #expect(group.label == .literal([.plain("Lines")]))
        #expect(item.count?.text == "/data/psi")
        #expect(item.noAddRemove?.text == "true()")
        #expect(
            form.controls.map(\.path) == ["/data/lines/length", "/data/psi", "/data/kind"])
        #expect(form.controls[0].range == BodyRange(start: "1", end: "9", step: "2"))
        #expect(form.controls[2].mediaType == "image/*")
        #expect(form.counts.groups == 1)
        #expect(form.counts.repeats == 1)
        #expect(form.counts.controls == 3)
    }

    @Test("choices in place, and lists with predicates and randomised order")
    func choices() throws {
        var small = SmallForm()
        small.instances = """
            <instance id="kinds"><root><item><name>a</name><label>A</label></item>
            <item><name>b</name></item></root></instance>
            """
        small.body = """
            <select1 ref="/data/kind"><item walkdown:verdict="pass"><label>In</label>
            <value>in</value></item></select1>
            <odk:rank ref="/data/psi"><itemset nodeset=\
            "randomize(instance('kinds')/root/item[name != 'x]' and label][2 &gt; 1], 7)">
            <value ref="name"/><label ref="jr:itext(itextId)"/></itemset></odk:rank>
            """
        let form = try small.form()
        #expect(form.controls[0].choices[0].value == "in")
        #expect(form.controls[0].choices[0].own == ["verdict": "pass"])
        let itemset = try #require(form.controls[1].itemset)
        #expect(itemset.instance == "kinds")
        #expect(itemset.path == "/root/item")
        #expect(itemset.predicates == ["name != 'x]' and label", "2 > 1"])
        #expect(itemset.isRandomized)
        #expect(itemset.seed == "7")
        #expect(itemset.label == .text("itextId"))
        #expect(form.counts.choices == 3)
    }

    @Test("a list may come from the record's own repeat")
    func choicesOfRepeat() throws {
        var small = SmallForm()
        small.body = """
            <select1 ref="/data/kind"><itemset nodeset="../lines[length != '']">
            <value ref="length"/><label ref="length"/></itemset></select1>
            """
        let itemset = try #require(try small.form().controls[0].itemset)
        #expect(itemset.instance == nil)
        #expect(itemset.path == "/data/lines")
    }

    @Test(
        "lists beside the form are named by file",
        arguments: [
            ("jr://file-csv/towns.csv", .csv("towns.csv")),
            ("jr://file/towns.csv", .csv("towns.csv")), ("jr://file/t.xml", .xml("t.xml")),
            ("jr://file/t.geojson", .geojson("t.geojson")),
            ("jr://instance/last-saved", .lastSaved),
            ("http://example.org/t.csv", .unknown("http://example.org/t.csv")),
        ] as [(String, SecondaryInstance.Source)])
    func files(address: String, source: SecondaryInstance.Source) throws {
        var small = SmallForm()
        small.instances = #"<instance id="towns" src="\#(address)"/>"#
        let read = try small.read()
        #expect(read.form.secondary.map(\.source) == [source])
        #expect(read.warnings.contains(where: \.isUnsupported) == address.hasPrefix("http"))
    }

    @Test("a value is set on first load, and when a question changes")
    func actions() throws {
        var small = SmallForm()
        small.model = """
            <setvalue event="odk-instance-first-load odk-new-repeat" ref="/data/psi" value="1+1"/>
            <odk:setgeopoint event="odk-instance-first-load" ref="/data/kind"/>
            """
        small.body = """
            <input ref="/data/psi"><setvalue event="xforms-value-changed" ref="/data/kind">x\
            </setvalue></input>
            """
        let actions = try small.form().actions
        #expect(actions[0].events == ["odk-instance-first-load", "odk-new-repeat"])
        #expect(actions[1].value == .position)
        #expect(actions[2].source == "/data/psi")
        #expect(actions[2].value == .literal("x"))
    }

    @Test("a question may name its bind instead of its node")
    func bindByID() throws {
        var small = SmallForm()
        small.model = #"<bind id="p" nodeset="/data/psi"/>"#
        small.body = #"<input bind="p"/>"#
        #expect(try small.form().controls.map(\.path) == ["/data/psi"])
        small.body = #"<input bind="q"/>"#
        #expect(refusal { _ = try small.read() }?.contains("no bind with the id q") == true)
    }

    @Test("a form without an id for its submissions gets one")
    func instanceID() throws {
        let text = SmallForm().text.replacing("<orx:meta><orx:instanceID/></orx:meta>", with: "")
        let form = try XFormReader.read(Array(text.utf8)).form
        #expect(form.primary.children.last?.children.map(\.name) == ["instanceID"])
        #expect(form.binds.last?.path == "/data/meta/instanceID")
        #expect(form.binds.last?.preload == "uid")
        #expect(try SmallForm().form().binds.isEmpty)
    }

    @Test("labels hold values of other questions; layout and markup are not text")
    func outputs() throws {
        var small = SmallForm()
        small.body = """
            <input ref="/data/psi"><label>
              Was <h:b><output value="/data/kind"/></h:b>, now?
            </label><hint ref="/data/kind"/></input>
            """
        let control = try small.form().controls[0]
        guard case .literal(let parts)? = control.label else {
            return #expect(Bool(false), "\(control)")
        }
        #expect(parts.outputs.map(\.text) == ["/data/kind"])
        #expect(parts.first == .plain("Was "))
        #expect(parts.last == .plain(", now?"))
    }
}
