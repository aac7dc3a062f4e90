import Coding
import Forms
import Foundation
import TestSupport
import Testing

@testable import Gateway

@Suite("Forms are checked and tried without a server")
struct FormFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("forms") }

    private func call(_ words: String...) -> ControlReply {
        Captured.run { Walkdownd.run(words, console: $0) }
    }

    @Test("check says what is wrong and where, and what is never asked")
    func check() throws {
        let good = try folder.write(
            SmallXForm.text(
                binds: #"<bind nodeset="/data/note" relevant="/data/kind = 'c'"/>"#),
            to: "good.xml")
        let bad = try folder.write(
            SmallXForm.text(binds: #"<bind nodeset="/data/tag" calculate="frob(1)"/>"#),
            to: "bad.xml")
        let fine = call("form", "check", good)
        #expect(fine.status == 0, "\(fine.messages)")
        #expect(fine.output.contains("good.xml: warning: note is never asked: /data/kind = 'c'"))
        #expect(fine.output.contains("good.xml: ok: small version 1, 3 questions"))
        let refused = call("form", "check", bad, good)
        #expect(refused.status == 3)
        #expect(refused.output.contains("bad.xml: error: line 6"), "\(refused.output)")
        #expect(refused.output.contains("frob"))
        let json = call("form", "check", bad, good, "--json")
        let documents = try JSON.parse(Array(json.output.utf8)).asArray()
        #expect(try documents[0].member("ok") == false)
        #expect(try documents[0].object("error").integer("line") == 6)
        #expect(
            try documents[1].array("neverAsked") { value throws(CodingError) in
                try value.string("question")
            } == ["note"])
        #expect(call("form", "check", folder.file("none.xml")).status == 1)
        let list = call("form", "check", try folder.write("a,b\n", to: "list.csv"))
        #expect(list.status == 2 && list.messages.contains("list.csv is a list"), "\(list)")
        let old = try folder.write("\u{D0}", to: "empty.xlsx")
        #expect(call("form", "check", old).status == 3)
    }

    @Test(
        "a file that is no form is refused by its name, with what it is",
        arguments: [
            ("empty.xml", "", "the file is empty"), ("empty.json", "", "the file is empty"),
            ("blank.xlsx", "", "the file is empty"), ("empty", "", "the file is empty"),
            ("other.xml", "<root><item/></root>", "line 1, root: this is not an XForm"),
            ("broken.xml", "<root>", "line 1"), ("words.txt", "Dear all", "line 1"),
        ])
    func noForm(name: String, text: String, reason: String) throws {
        let path = try folder.write(text, to: name)
        let reply = call("form", "check", path)
        #expect(reply.status == 3, "\(reply)")
        #expect(reply.output.hasPrefix("\(path): error: \(reason)"), "\(reply.output)")
        let good = try folder.write(SmallXForm.text(), to: "good.xml")
        let both = call("form", "check", path, good)
        #expect(both.output.contains("good.xml: ok") && "\(both)".contains(name), "\(both)")
    }

    @Test("sheets that are files are one form; a fault in one is told with its row")
    func sheets() throws {
        let survey = try folder.write(
            "type,name,label\n\ntext,tag,Tag\nselect_one kinds,kind,\"Kind, or sort\"\n",
            to: "pumps.survey.csv")
        let choices = try folder.write(
            "list_name,name,label\nkinds,a,A\nkinds,b,B\n", to: "pumps.choices.csv")
        let lone = call("form", "check", survey)
        #expect(
            lone.output.hasPrefix("\(survey): error: sheet survey, row 4"), "\(lone.output)")
        let both = call("form", "check", choices, survey)
        #expect(both.output == "\(survey): ok: pumps version 1, 2 questions\n", "\(both)")
        #expect(call("form", "check", choices).status == 2)
        let quoted = try folder.write("type,name\ntext,\"tag\n", to: "open.survey.csv")
        let broken = call("form", "check", quoted)
        #expect(
            broken.output.hasPrefix("\(quoted): error: sheet survey, row 2"), "\(broken.output)")
    }

    @Test("test compares what comes of the answers, and says each difference")
    func test() throws {
        let form = try folder.write(
            SmallXForm.text(
                binds: """
                    <bind nodeset="/data/tag" required="true()" constraint="string-length(.) > 2"
                     jr:constraintMsg="Too short"/>
                    <bind nodeset="/data/note" relevant="/data/kind = 'b'"/>
                    """), to: "form.xml")
        let cases = try folder.write(
            """
            {"cases": [
              {"name": "good", "answers": {"tag": "P-1", "kind": "b"},
               "expect": {"complete": true, "relevant": ["note"], "values": {"note": null}}},
              {"name": "bad", "answers": [{"tag": "P"}, {"note": "hidden"}],
               "expect": {"problems": {}, "relevant": ["note"], "values": {"kind": "a"}}}
            ]}
            """, to: "cases.json")
        let reply = call("form", "test", form, cases)
        #expect(reply.status == 3)
        #expect(
            reply.output == """
                1..2
                ok 1 - good
                not ok 2 - bad
                # note: is not asked there, and was answered
                # note: is not asked
                # kind: expected a, is \("")
                # tag: expected no problem, is is refused by the form: Too short

                """, "\(reply.output)")
        let json = try JSON.parse(Array(call("form", "test", form, cases, "--json").output.utf8))
        #expect(try json.asArray().map { try $0.member("passed") } == [true, false])
        for (text, word) in [
            (#"{"cases": [{"name": "x", "expect": {"points": 1}}]}"#, "points"),
            (#"{"cases": [{"name": "x", "expect": {"score": {"share": 1}}}]}"#, "share"),
            (#"{"cases": [{"name": "x", "now": "soon", "expect": {}}]}"#, "now"),
            (#"{"cases": [{"expect": {}}]}"#, "name"), (#"{"cases": []}"#, "no case"),
            ("[]", "object"),
        ] {
            let bad = try folder.write(text, to: "bad.json")
            let reply = call("form", "test", form, bad)
            #expect([2, 3].contains(reply.status) && reply.messages.contains(word), "\(reply)")
        }
    }
}

extension FormFileTests {
    @Test("test answers the rows that a count has made, and adds none to them")
    func countedRows() throws {
        let form = try folder.write(
            SmallXForm.text(
                record: """
                    <count/><pump jr:template=""><tag/><seal jr:template=""><state/></seal></pump>
                    <lamp><on>yes</on></lamp><lamp jr:template=""><on/></lamp><total/>
                    """,
                binds: """
                    <bind nodeset="/data/count" type="int"/>
                    <bind nodeset="/data/total" calculate="count(/data/pump)"/>
                    """,
                body: """
                    <input ref="/data/count"><label>How many</label></input>
                    <group><label>Pump</label>
                    <repeat nodeset="/data/pump" jr:count="/data/count">
                    <input ref="/data/pump/tag"><label>Tag</label></input>
                    <group><repeat nodeset="/data/pump/seal" jr:count="2">
                    <input ref="/data/pump/seal/state"><label>State</label></input></repeat></group>
                    </repeat></group>
                    <group><repeat nodeset="/data/lamp"><input ref="/data/lamp/on"><label>On</label>
                    </input></repeat></group>
                    """), to: "counted.xml")
        let cases = try folder.write(
            """
            {"cases": [
              {"name": "good", "answers": {"count": 2, "pump": [{"tag": "P-1"},
                 {"tag": "P-2", "seal": [{}, {"state": "worn"}]}],
                 "lamp": [{}, {"on": "no"}]},
               "expect": {"values": {"total": "2", "pump[2]/tag": "P-2",
                 "pump[2]/seal[2]/state": "worn", "pump[1]/seal[2]/state": null,
                 "lamp[1]/on": "yes", "lamp[2]/on": "no"}}},
              {"name": "later", "answers": [{"count": 1, "pump": [{"tag": "P-1"}]},
                 {"count": 2, "pump": [{"tag": "P-2"}]}, {"count": 1}],
               "expect": {"values": {"total": "1", "pump[1]/tag": "P-1"}}},
              {"name": "bad", "answers": {"count": 1, "pump": [{}, {"tag": "P-2"}]},
               "expect": {"values": {"pump[2]/tag": "P-2"}}}
            ]}
            """, to: "cases.json")
        let reply = call("form", "test", form, cases)
        #expect(
            reply.output == """
                1..3
                ok 1 - good
                ok 2 - later
                not ok 3 - bad
                # pump: has 1 rows, and 2 were given answers
                # pump[2]/tag: there is no such answer

                """, "\(reply.output) \(reply.messages)")
    }
}

@Suite("The forms that come with Walkdown")
struct ShippedFormsTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Resources/forms").path

    static let forms = [
        "cold_chain_equipment.json", "fire_extinguisher_monthly.xml",
        "retail_food_inspection.xml", "refrigerant_leak_log.xml",
    ]

    private static func name(_ form: String) -> String { String(form.prefix { $0 != "." }) }

    /// The form as an XLSForm, a file for each sheet.
    private static func sheets(_ form: String) -> [String] {
        ["survey", "choices", "settings"].map { "\(folder)/\(name(form)).\($0).csv" }
    }

    @Test(
        "are read without a word, and do what their cases say; as sheets too",
        arguments: forms, [false, true])
    func cases(form: String, asSheets: Bool) throws {
        let paths = asSheets ? Self.sheets(form) : [Self.folder + "/" + form]
        let name = Self.name(form)
        let checked = Captured.run { Walkdownd.run(["form", "check"] + paths, console: $0) }
        #expect(checked.status == 0 && !checked.output.contains("warning"), "\(checked.output)")
        #expect(checked.messages.isEmpty, "\(checked.messages)")
        #expect(checked.output.contains("ok: \(name) version 1"))
        let cases = "\(Self.folder)/cases/\(name).json"
        let tested = Captured.run {
            Walkdownd.run(["form", "test"] + paths + [cases], console: $0)
        }
        #expect(tested.status == 0, "\(tested.output) \(tested.messages)")
    }

    /// What a question is, wherever it stands.
    private struct Asked: Equatable {
        var name: String
        var label: String
        var hint: String?
        var isNumber: Bool
        var choices: [String]
        var verdicts: [Verdict?]
        var isRequired: Bool
        var rules: [Bool]
        var limits: NumberLimits
        var merge: String
        var unit: String?
        var weight: Double
        var flags: [Bool]

        init(_ question: Question) {
            name = question.name
            label = question.label
            hint = question.hint
            isNumber = question.type.isNumber
            choices = question.choices.map { "\($0.name) \($0.label)" }
            verdicts = question.choices.map(\.verdict)
            isRequired = question.required
            let own = question.rules
            rules = [own.relevant, own.constraint, own.calculate].map { $0 != nil }
            limits = question.limits
            merge = question.merge
            unit = question.unit
            weight = question.weight
            flags = [
                question.previous, question.critical, question.photoOnFail,
                question.findingOnFail,
            ]
        }
    }

    @Test("ask the same as sheets as they do in the form that is published", arguments: forms)
    func sheets(form: String) throws {
        func read(_ paths: [String]) throws -> FormDefinition {
            let forms = try FormFiles(paths) { try SmallFile.read($0) }.readAll()
            return try #require(forms.first).definition
        }
        func shown(_ form: FormDefinition) -> [Asked] {
            form.allQuestions.filter { !$0.isHidden }.map(Asked.init)
        }
        let published = try read([Self.folder + "/" + form])
        let sheets = try read(Self.sheets(form))
        #expect(sheets.id == published.id && sheets.title == published.title)
        #expect(shown(sheets) == shown(published))
        #expect(sheets.parts.rows == published.parts.rows)
        #expect(
            sheets.repetitions.map { [$0.path, $0.text?.plain] }
                == published.repetitions.map { [$0.path, $0.text?.plain] })
        // Sheets name a value of their own where a label shows one whose name several have.
        let hidden = Set(sheets.parts.hidden.map(\.path))
        #expect(published.parts.hidden.allSatisfy { hidden.contains($0.path) })
    }
}
