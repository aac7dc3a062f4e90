import Coding
import Forms
import Testing

@testable import FormImport

@Suite("A form is compiled to what devices fill in")
struct FormCompilerTests {
    private func compile(
        _ small: SmallForm, files: [String: [UInt8]] = [:]
    ) throws -> CompiledForm {
        try FormCompiler.compile(small.read(), files: files)
    }

    @Test(
        "the type of a question",
        arguments: [
            ("input", "string", "", QuestionType.text(multiline: false)),
            ("input", "string", "multiline", .text(multiline: true)),
            ("input", "int", "", .integer), ("input", "decimal", "", .decimal),
            ("input", "date", "", .date), ("input", "time", "", .time),
            ("input", "dateTime", "", .dateTime), ("input", "geopoint", "", .point),
            ("input", "geotrace", "", .trace), ("input", "geoshape", "", .shape),
            ("input", "barcode", "", .barcode), ("upload", "binary", "signature", .file),
            ("trigger", "string", "", .acknowledge),
            ("input", "select1", "", .text(multiline: false)),
        ])
    func types(control: String, type: String, appearance: String, expected: QuestionType) throws {
        var small = SmallForm()
        small.model = "<bind nodeset=\"/data/psi\" type=\"\(type)\"/>"
        small.body = """
            <\(control) ref="/data/psi" appearance="\(appearance)"><label>Psi</label></\(control)>
            """
        let question = try #require(try compile(small).definition.question(named: "psi"))
        #expect(question.type == expected)
        #expect(question.label == "Psi")
    }

    @Test("the head of a matrix shows what its rows offer, and takes no answer")
    func matrixHead() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="string" required="true()"/><bind nodeset="/data/kind" type="string"/>
            """
        let items = "<item><label>In</label><value>IN</value></item>"
        small.body = """
            <select1 ref="/data/psi" appearance="w1 label"><label>Rate</label>\(items)</select1>
            <select1 ref="/data/kind" appearance="list-nolabel"><label>Valve</label>\(items)</select1>
            """
        let form = try compile(small).definition
        #expect(form.question(named: "psi")?.type == .note)
        #expect(form.question(named: "kind")?.type == .choice)
        #expect(FormFilling(form, in: .looking(at: 0)).state.total == 1)
    }

    @Test("Walkdown's own attributes, and verdicts by choice")
    func own() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="int" walkdown:merge="quarantine" walkdown:unit="psi"
             walkdown:min="0" walkdown:max="2000" walkdown:softMax="450" walkdown:previous="true"/>
            <bind nodeset="/data/kind" type="select1" walkdown:critical="yes" walkdown:weight="2"
             walkdown:verdict="pass=IN fail=OUT notApplicable=NA notObserved=NO"
             walkdown:findingOnFail="true()"/>
            """
        small.body = """
            <input ref="/data/psi"/>
            <select1 ref="/data/kind"><item><label>In</label><value>IN</value></item>
            <item><label>Out</label><value>OUT</value></item>
            <item><label>N.A.</label><value>NA</value></item>
            <item><label>N.O.</label><value>NO</value></item></select1>
            """
        let form = try compile(small).definition
        let psi = try #require(form.question(named: "psi"))
        #expect(psi.merge == "quarantine" && psi.unit == "psi" && psi.previous)
        #expect(psi.limits.hardMaximum == 2000 && psi.limits.softMaximum == 450)
        let kind = try #require(form.question(named: "kind"))
        #expect(kind.type == .verdict && kind.critical && kind.weight == 2 && kind.findingOnFail)
        #expect(kind.choices.map(\.verdict) == [.pass, .fail, .notApplicable, .notObserved])
    }

    @Test(
        "the label of a group around a repeat is the repeat's, at the top and further in",
        arguments: [
            ("", ""), (#"<input ref="/data/psi"/>"#, ""),
            ("<group><label>Outer</label>" + #"<input ref="/data/psi"/>"#, "</group>"),
        ])
    func repeatLabel(before: String, after: String) throws {
        var small = SmallForm()
        small.record = "<psi/><pump><tag/></pump>"
        small.body = """
            \(before)<group ref="/data/pump"><label>Pump</label><repeat nodeset="/data/pump">
            <input ref="/data/pump/tag"><label>Tag</label></input></repeat></group>\(after)
            """
        let form = try compile(small).definition
        #expect(form.repetitions.first?.text?.plain == "Pump")
        #expect(form.sections.last?.title == "Pump")
        var filling = FormFilling(form, in: .looking(at: 0))
        _ = filling.add(FormAnswers.Row(id: "r", path: "pump"))
        #expect(filling.name(ofRow: "r") == "Pump 1")
    }

    @Test("rows in the record itself are those that an inspection begins with, a template is none")
    func rows() throws {
        var small = SmallForm()
        small.record = """
            <psi/><pump><tag>P-1</tag><kind/><seal><state>new</state></seal></pump>
            <pump jr:template=""><tag/><kind>gear</kind><seal><state/></seal></pump>
            <pump><tag/><kind>screw</kind></pump>
            """
        small.body += """
            <group><repeat nodeset="/data/pump"><input ref="/data/pump/tag"/>
            <input ref="/data/pump/kind"/><repeat nodeset="/data/pump/seal">
            <input ref="/data/pump/seal/state"/></repeat></repeat></group>
            """
        let form = try compile(small).definition
        #expect(
            form.parts.rows == [
                InitialRow(path: "pump", values: ["pump/tag": "P-1"]),
                InitialRow(path: "pump/seal", parent: 0, values: ["pump/seal/state": "new"]),
                InitialRow(path: "pump", values: ["pump/kind": "screw"]),
            ])
        #expect(form.question(named: "pump/kind")?.initial == "gear")
        #expect(form.question(named: "pump/tag")?.initial == nil)
    }

    @Test("a list in a file fills the choices, and stands as an instance where a filter looks")
    func csv() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="string"/><bind nodeset="/data/kind" type="select1"/>
            """
        small.instances = "<instance id=\"towns\" src=\"jr://file-csv/towns.csv\"/>"
        small.body = """
            <input ref="/data/psi"/>
            <select1 ref="/data/kind"><itemset
             nodeset="instance('towns')/root/item[region = current()/../psi]">
            <value ref="name"/><label ref="label"/></itemset></select1>
            """
        let table = "name,label,region\nyork,York,north\ndover,\"Dover, Kent\",south\n"
        let form = try compile(small, files: ["towns.csv": Array(table.utf8)]).definition
        var filling = FormFilling(form, in: .looking(at: 0))
        #expect(filling.offered(at: AnswerKey("kind")).isEmpty)
        filling.set(.string("south"), at: AnswerKey("psi"))
        #expect(filling.offered(at: AnswerKey("kind")).map(\.label) == ["Dover, Kent"])

        let pipes = "name,label,region\nhalf,1/2\" pipe,south\n"
        let written = try compile(small, files: ["towns.csv": Array(pipes.utf8)]).definition
        #expect(written.question(named: "kind")?.choices.map(\.label) == ["1/2\" pipe"])

        let alone = try compile(small)
        #expect(alone.warnings.contains { $0.text.contains("towns.csv is not here") })
        #expect(
            FormFilling(alone.definition, in: .looking(at: 0)).offered(at: AnswerKey("kind"))
                .isEmpty)
    }

    @Test("markup is reduced to its words, and what is no markup stays")
    func markup() {
        #expect(Markup.reduced("<b>Stop</b> if a < b &amp; c") == "Stop if a < b &amp; c")
        #expect(Markup.reduced("# Title\n**bold** and __more__ x_1") == "Title\nbold and more x_1")
        #expect(Markup.reduced("*badge* and _seal_, *two words*.") == "badge and seal, two words.")
        for text in ["2 * 3 * 4", "file_name_here", "Name*, Age*", "* first", "*Required", "_"] {
            #expect(Markup.reduced(text) == text)
        }
        #expect(Markup.reduced("<span style='color:red'>Red</span>") == "Red")
    }

    @Test(
        "what is wrong with a rule is told with line, node and place in the expression",
        arguments: [
            ("relevant=\"/data/kind = \"", "line 6"), ("calculate=\"wish(1)\"", "wish()"),
            ("constraint=\"if(1, 2)\"", "if()"),
            ("relevant=\"/data/psi = 1\"", "depending on its own answer"),
            ("calculate=\"/data/psi + 1\"", "looks at itself in a circle"),
            ("calculate=\"once(concat(., 1))\"", "looks at itself in a circle"),
        ])
    func faults(rule: String, told: String) {
        var small = SmallForm()
        small.model = "<bind nodeset=\"/data/psi\" type=\"int\" \(rule)/>"
        small.body = "<input ref=\"/data/psi\"/><input ref=\"/data/kind\"/>"
        do {
            _ = try compile(small)
            Issue.record("compiled: \(rule)")
        } catch {
            let words = String(describing: error)
            #expect(words.contains(told) || told == "line 6" && words.contains("line"), "\(words)")
            #expect(words.contains("/data/psi"), "\(words)")
            #expect(!words.contains("\n"))
        }
    }

    @Test(
        "a format or a pattern that cannot be read is told, and its rule says nothing",
        arguments: [
            ("calculate=\"format-date(today(), '%Y %j')\"", "has no \"%j\""),
            ("calculate=\"format-date-time(now(), '%W %Q')\"", "has no \"%Q\""),
            ("constraint=\"regex(., '[')\"", "["),
        ])
    func patterns(rule: String, told: String) throws {
        var small = SmallForm()
        small.model = "<bind nodeset=\"/data/psi\" type=\"string\" \(rule)/>"
        let warnings = try compile(small).warnings.map(\.description)
        #expect(
            warnings.contains { $0.contains(told) && $0.hasSuffix("; the rule says nothing") },
            "\(warnings)")
    }

    @Test("patterns that can be read, and those that answers make, are no matter")
    func readablePatterns() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="string" constraint="regex(., '[a-z]+')"
             calculate="format-date(today(), '%W %Y')"/>
            <bind nodeset="/data/kind" constraint="regex(., /data/psi)"/>
            """
        #expect(try compile(small).warnings.isEmpty)
    }

    @Test(
        "a default that its question does not take is told, and left out",
        arguments: [
            ("int", "abc", "psi: the default abc is not a number; it is left out"),
            ("int", "3.5", "psi: the default 3.5 is taken as 3"), ("int", "3", nil),
            ("decimal", "3.5", nil), ("date", "2026-02-30", "is not a date"),
            ("date", "2026-02-28", nil), ("string", "5 + 5", nil),
            ("geopoint", "here", "is not a position"),
        ])
    func defaults(type: String, value: String, told: String?) throws {
        var small = SmallForm()
        small.record = "<psi>\(value)</psi><kind/>"
        small.model = "<bind nodeset=\"/data/psi\" type=\"\(type)\"/>"
        let warnings = try compile(small).warnings.map(\.description)
        if let told {
            #expect(warnings.count == 1 && warnings[0].contains(told), "\(warnings)")
            #expect(warnings.allSatisfy { $0.hasPrefix("line ") })
        } else {
            #expect(warnings.isEmpty, "\(warnings)")
        }
    }

    @Test(
        "what a calculation may come to and its question does not take is told",
        arguments: [
            ("int", "'abc'", "psi: the calculation may come to abc, which is not a number"),
            ("int", "if(1 = 2, 'x', 3)", "may come to x, which is not a number"),
            ("int", "coalesce(/data/kind, '4')", nil), ("int", "7 div 2", nil),
            ("int", "3.5", nil), ("string", "'abc'", nil),
            ("date", "if(1 = 1, 'soon', '')", "may come to soon, which is not a date"),
            ("date", "'2026-02-28'", nil),
        ])
    func calculations(type: String, expression: String, told: String?) throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="\(type)" calculate="\(expression)"/>
            """
        let warnings = try compile(small).warnings.map(\.description)
        if let told {
            #expect(warnings.count == 1 && warnings[0].contains(told), "\(warnings)")
        } else {
            #expect(warnings.isEmpty, "\(warnings)")
        }
    }

    @Test("also of a choice, and of rows that an inspection begins with")
    func defaultChoices() throws {
        var small = SmallForm()
        small.record = "<kind>c</kind><r><v>1</v></r><r><v>x</v></r>"
        small.model = """
            <bind nodeset="/data/kind" type="select1"/><bind nodeset="/data/r/v" type="int"/>
            """
        small.body = """
            <select1 ref="/data/kind"><item><label>A</label><value>a</value></item></select1>
            <group><repeat nodeset="/data/r"><input ref="/data/r/v"/></repeat></group>
            """
        let warnings = try compile(small).warnings.map(\.text)
        #expect(warnings.contains("kind: the default c is not one of the choices; it is left out"))
        #expect(warnings.contains("r/v: the default x is not a number; it is left out"))
        #expect(warnings.count == 2, "\(warnings)")
    }

    @Test("two calculations that look at each other are refused by name")
    func circle() {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="int" calculate="/data/kind + 1"/>
            <bind nodeset="/data/kind" type="int" calculate="/data/psi + 1"/>
            """
        small.body = "<input ref=\"/data/psi\"/>"
        do {
            _ = try compile(small)
            Issue.record("compiled a circle")
        } catch {
            #expect(String(describing: error).contains("kind → psi → kind"), "\(error)")
        }
    }

    @Test("prefixes of names make no difference to a path")
    func prefixes() throws {
        let expression = try FormExpression("/data/orx:meta/orx:instanceID = 'a:b'")
        #expect(
            expression.withoutPrefixes.dependencies(at: "/data").paths
                == ["/data/meta/instanceID"])
        #expect(expression.withoutPrefixes.source.contains("a:b"))
    }
}
