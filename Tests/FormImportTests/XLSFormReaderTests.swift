import Coding
import Forms
import Testing

@testable import FormImport

@Suite("An XLSForm gives the same value as the XForm that a converter would make of it")
struct XLSFormReaderTests {
    static let towns = [
        ["list_name", "name", "label", "region"], ["towns", "a", "Aville", "n"],
        ["towns", "b", "Btown", "s"], ["yes_no", "yes", "Yes"], ["yes_no", "no", "No"],
    ]

    @Test(
        "columns in old spellings mean what they mean today",
        arguments: [
            ("jr:count", "repeat_count", nil), ("Read Only", "readonly", nil),
            ("bind:relevant", "relevant", nil),
            ("bind::jr:constraintMsg", "constraint_message", nil),
            ("bind:jr:requiredMsg", "required_message", nil),
            ("label : French", "label", "French"), ("caption::fr", "label", "fr"),
            ("media::image::fr", "image", "fr"), ("image:fr", "image", "fr"),
            ("control::appearance", "appearance", nil), ("bind::esri:x", "bind::esri:x", nil),
            ("choice filter", "choice_filter", nil), ("remarks", "remarks", nil),
        ] as [(String, String, String?)])
    func headings(written: String, name: String, language: String?) {
        let heading = Heading(written, in: .survey)
        #expect(heading?.name == name)
        #expect(heading?.language == language)
    }

    @Test("settings name the form; without them the file does")
    func settings() throws {
        let survey = [["type", "name", "label"], ["text", "q", "Q"]]
        let named = try SmallWorkbook.form(
            survey,
            settings: [
                ["form_title", "form_id", "version", "style", "name", "instance_name"],
                ["Valves", "valves", "3", "pages", "rec", "concat(${q}, ' x')"],
            ]
        ).form()
        #expect([named.title, named.id, named.version] == ["Valves", "valves", "3"])
        #expect(named.style == ["pages"])
        #expect(named.controls[0].path == "/rec/q")
        let name = try #require(named.binds.first { $0.path == "/rec/meta/instanceName" })
        #expect(name.calculate?.text == "concat(/rec/q, ' x')")
        let plain = try SmallWorkbook.form(survey).read(name: "round").form
        #expect([plain.title, plain.id, plain.version] == ["round", "round", nil])
        #expect(plain.binds.last?.path == "/data/meta/instanceID")
        #expect(plain.binds.last?.preload == "uid")
    }

    @Test(
        "each type in its old and new spellings",
        arguments: [
            ("text", .input, "string"), ("string", .input, "string"),
            ("add text prompt", .input, "string"), ("q string", .input, "string"),
            ("int", .input, "int"), ("Integer", .input, "int"), ("decimal", .input, "decimal"),
            ("date", .input, "date"), ("dateTime", .input, "dateTime"), ("time", .input, "time"),
            ("gps", .input, "geopoint"), ("geoshape", .input, "geoshape"),
            ("photo", .upload, "binary"), ("add image prompt", .upload, "binary"),
            ("file", .upload, "binary"), ("barcode", .input, "barcode"),
            ("note", .input, "string"), ("acknowledge", .trigger, "string"),
            ("range", .range, "int"), ("select_one towns", .select1, "string"),
            ("select one from towns", .select1, "string"), ("select1 towns", .select1, "string"),
            ("select all that apply from towns", .select, "string"),
            ("select_multiple  towns", .select, "string"), ("rank towns", .rank, "rank"),
            ("select_one_from_file f.csv", .select1, "string"),
            ("select_multiple_from_file f.geojson", .select, "string"),
        ] as [(String, BodyControl.Kind, String)])
    func types(spelling: String, kind: BodyControl.Kind, bind: String) throws {
        let form = try SmallWorkbook.form(
            [["type", "name", "label"], [spelling, "q", "Q"]], choices: Self.towns
        ).form()
        #expect(form.controls.map(\.kind) == [kind])
        #expect(form.binds[0].type == bind)
    }

    @Test(
        "what the form notes by itself is not asked",
        arguments: [
            ("start", "timestamp", "start"), ("end", "timestamp", "end"),
            ("today", "date", "today"), ("deviceid", "property", "deviceid"),
            ("imei", "property", "deviceid"), ("phone number", "property", "phonenumber"),
            ("username", "property", "username"), ("email", "property", "email"),
        ])
    func preloads(type: String, preload: String, parameters: String) throws {
        let form = try SmallWorkbook.form([["type", "name"], [type, "q"]]).form()
        #expect(form.controls.isEmpty)
        #expect(form.binds[0].preload == preload)
        #expect(form.binds[0].preloadParameters == parameters)
    }

    @Test("rules, messages, yes and no, smart quotes, and Walkdown's own columns")
    func rules() throws {
        let form = try SmallWorkbook.form([
            [
                "Type", "Name", "Label", "required", "read only", "relevance", "constraint",
                "constraint message", "calculate", "bind::jr:preload", "walkdown::unit",
                "required_message", "hint",
            ],
            ["text", "a", "A", "no"],
            [
                "integer", "b", "B of ${a}", "yes", "TRUE", "${a} = \u{201C}x\u{201D}", ". < 3",
                "Less than 3", "1 + 1", "uid", "psi", "Needed", "see ${a}",
            ],
        ]).form()
        #expect(form.binds[0].required?.text == "false()")
        let bind = form.binds[1]
        #expect(
            [bind.required, bind.readonly, bind.relevant, bind.constraint, bind.calculate]
                .map { $0?.text } == ["true()", "true()", "/data/a = \"x\"", ". < 3", "1 + 1"])
        #expect(bind.constraintMessage == .literal([.plain("Less than 3")]))
        #expect(bind.requiredMessage == .literal([.plain("Needed")]))
        #expect(bind.own == ["unit": "psi"])
        let place = FormPlace.cell(sheet: "survey", row: 3, column: "Label")
        #expect(
            form.controls[1].label
                == .literal([.plain("B of "), .output(ExpressionText("/data/a", at: place))]))
        #expect(bind.relevant?.place.words == "sheet survey, row 3, column relevance")
    }

    @Test("inside a repeat, names of the same record are relative; elsewhere absolute")
    func references() throws {
        let form = try SmallWorkbook.form(
            [
                ["type", "name", "label", "calculation", "choice_filter", "repeat_count"],
                ["integer", "n", "N"],
                ["begin repeat", "r", "R", "", "", "${n}"],
                ["text", "a", "A"],
                ["begin group", "g", "G"],
                [
                    "calculate", "c", "",
                    "concat(${a}, ${n}, instance('towns')/root/item[name=${a}]/l)",
                ],
                ["select_one towns", "t", "T", "", "region = ${a} and name != ${n}"],
                ["end group"], ["end repeat"],
                ["calculate", "d", "", "indexed-repeat(${a}, ${r}, ${n}) + count(${r})"],
                ["begin repeat", "s", "S", "", "", "${n} + 1"], ["text", "u", "U"], ["end repeat"],
            ], choices: Self.towns
        ).form()
        func calculation(_ path: String) -> String? {
            form.binds.first { $0.path == path }?.calculate?.text
        }
        #expect(
            calculation("/data/r/g/c")
                == "concat(../../a, /data/n, instance('towns')/root/item[name=current()/../../a]/l)"
        )
        #expect(
            form.controls.first { $0.path == "/data/r/g/t" }?.itemset?.nodeset.text
                == "instance('towns')/root/item[region = current()/../../a and name != /data/n]")
        #expect(
            calculation("/data/d") == "indexed-repeat(/data/r/a, /data/r, /data/n) + count(/data/r)"
        )
        #expect(calculation("/data/s_count") == "/data/n + 1")
        #expect(form.counts.repeats == 2)
        #expect(form.counts.groups == 3)
    }

    @Test("languages by column; pictures and guidance go with the text")
    func languages() throws {
        let form = try SmallWorkbook.form(
            [
                [
                    "type", "name", "label::English (en)", "label:French (fr)", "hint",
                    "guidance_hint", "media::image::English (en)",
                ],
                ["text", "a", "Age", "\u{C2}ge", "h", "", "a.png"],
                ["text", "b", "Town ${a}", "", "", "more"],
            ],
            choices: [
                ["list name", "value", "label::English (en)", "label::French (fr)"],
                ["l", "x", "X", "Xf"],
            ],
            settings: [["default_language"], ["French (fr)"]]
        ).form()
        #expect(form.texts.languages == ["English (en)", "French (fr)"])
        #expect(form.texts.defaultLanguage == "French (fr)")
        #expect(form.controls[0].label == .key("/data/a:label"))
        #expect(form.texts.text(of: "/data/a:label", in: "French (fr)") == [.plain("\u{C2}ge")])
        #expect(
            form.texts.companion("image", of: "/data/a:label", in: "English (en)")
                == [.plain("jr://images/a.png")])
        #expect(
            form.texts.text(of: "/data/b:label", in: "French (fr)").outputs.map(\.text)
                == ["/data/a"])
        #expect(form.controls[0].hint == .literal([.plain("h")]))
        #expect(
            form.texts.companion("guidance", of: "/data/b:hint", in: nil) == [.plain("more")])
        #expect(form.texts.text(of: "l-0", in: "French (fr)") == [.plain("Xf")])
    }

    @Test("where one is, is noted at the start or when a question changes")
    func positions() throws {
        let form = try SmallWorkbook.form([
            ["type", "name", "label", "trigger"], ["start-geopoint", "a"], ["text", "b", "B"],
            ["background-geopoint", "c", "", "${b}"],
        ]).form()
        #expect(form.actions.map(\.value) == [.position, .position])
        #expect(form.actions.map(\.source) == [nil, "/data/b"])
    }

    @Test(
        "a default is an expression when it names a question, calls a function or reckons",
        arguments: [
            ("today()", "date", true), ("${a}", "string", true), ("3", "int", false),
            ("concat('a', 'b') + 1", "string", true), ("${last-saved#a}", "string", true),
            ("5 + 5", "int", true), ("5 * 2", "int", true), ("1 div 2", "string", true),
            ("7 mod 2", "int", true), ("2 - 1", "int", true), ("a | b", "string", true),
            ("today() - 7", "date", true), ("2025-01-01", "date", false),
            ("3 - 4 - 2025", "date", false), ("-1.5", "decimal", false), ("5 -3", "int", false),
            ("none (so far)", "string", false), ("a(b", "string", true),
            ("foo-bar", "string", false), ("modern", "string", false), ("mod", "string", false),
            ("'a + b'", "string", false), ("N/A", "string", false), ("x = y", "string", false),
            ("http://x.org/a?b=c", "string", false), ("50%", "string", false),
            ("${not a name}", "string", false), ("08:30", "time", false),
            ("2025-01-01T08:30:00.000+02:00", "dateTime", false), (". .. /", "string", false),
            ("52.1 -4.3 0 12", "geopoint", false),
        ])
    func defaults(text: String, type: String, isDynamic: Bool) {
        #expect(DefaultScan.isDynamic(text, type: type) == isDynamic)
    }

    @Test("what looks like an expression and is none stands as it is written, and is told")
    func defaultsThatAreNone() throws {
        let read = try SmallWorkbook.form([
            ["type", "name", "label", "default"], ["text", "a", "A", "+49 30 1234"],
            ["integer", "b", "B", "5 * 2"],
        ]).read()
        #expect(read.form.primary.children.map(\.value).prefix(2) == ["+49 30 1234", ""])
        #expect(
            read.form.actions.map(\.value) == [
                .expression(
                    ExpressionText("5 * 2", at: .cell(sheet: "survey", row: 3, column: "default")))
            ])
        #expect(
            read.warnings.map(\.description) == [
                "sheet survey, row 2, column default: a: the default looks like an expression and"
                    + " is none; it stands as it is written"
            ])
    }

    @Test("or_other, randomised lists, files, ranges and defaults")
    func particulars() throws {
        let form = try SmallWorkbook.form(
            [
                ["type", "name", "label", "parameters", "default", "trigger", "calculation"],
                ["select_one towns or_other", "t", "T", "randomize=true, seed=7"],
                ["select_one_from_file sites.csv", "f", "F", "value=code label=title"],
                ["range", "g", "G", "start=0 end=1 step=0.5"],
                ["date", "d", "D", "", "today()"], ["date", "e", "E", "", "2025-01-01"],
                ["text", "x", "X", "", "", "${t}", "now()"],
                ["calculate", "p", "", "", "", "", "pulldata('rates', 'a', 'b', ${t})"],
                ["text", "l", "L", "", "${last-saved#t}"], ["start-geopoint", "here"],
                ["audit", "audit"],
            ], choices: Self.towns
        ).form()
        #expect(form.controls[1].path == "/data/t_other")
        #expect(
            form.binds.first { $0.path == "/data/t_other" }?.relevant?.text
                == "selected(../t, 'other')")
        #expect(
            form.controls[0].itemset?.nodeset.text
                == "randomize(instance('towns')/root/item, 7)")
        #expect(form.controls[2].itemset?.valueName == "code")
        #expect(form.controls[2].itemset?.label == .child("title"))
        #expect(form.controls[3].range == BodyRange(start: "0", end: "1", step: "0.5"))
        #expect(form.binds.first { $0.path == "/data/g" }?.type == "decimal")
        #expect(form.primary.children.first { $0.name == "e" }?.value == "2025-01-01")
        #expect(form.actions.map(\.target) == ["/data/d", "/data/x", "/data/l", "/data/here"])
        #expect(form.actions[1].source == "/data/t")
        #expect(form.binds.first { $0.path == "/data/x" }?.calculate == nil)
        let sources = Dictionary(form.secondary.map { ($0.id, $0.source) }) { $1 }
        #expect(sources["sites"] == .csv("sites.csv"))
        #expect(sources["rates"] == .csv("rates.csv"))
        #expect(sources["__last-saved"] == .lastSaved)
        #expect(form.binds.contains { $0.path == "/data/meta/audit" })
    }

    @Test("a choice's label takes answers in, wherever it is shown, and is named in a repeat too")
    func labelsOfChoices() throws {
        let read = try SmallWorkbook.form(
            [
                ["type", "name", "label", "calculation"], ["text", "a", "A"],
                ["select_one k", "b", "B"],
                ["calculate", "nm", "", "jr:choice-name(${b}, '${b}')"],
                ["begin_repeat", "r", "R"], ["select_one k", "rk", "RK"],
                ["calculate", "rkn", "", "jr:choice-name(${rk}, '${rk}')"],
                ["end_repeat"],
            ],
            choices: [
                ["list_name", "name", "label"], ["k", "x", "Choice ${a}"], ["k", "y", "Plain"],
            ]
        ).read()
        let form = try FormCompiler.compile(read, files: [:]).definition
        var filling = FormFilling(form, in: .looking(at: 0))
        filling.set(.string("x"), at: AnswerKey("b"))
        filling.set(.string("Ann"), at: AnswerKey("a"))
        #expect(filling.value(of: AnswerKey("nm")) == .string("Choice Ann"))
        #expect(filling.shown(.string("x"), at: AnswerKey("b")) == "Choice Ann")
        _ = filling.add(FormAnswers.Row(id: "1", path: "r"))
        for (name, label) in [("y", "Plain"), ("x", "Choice Ann")] {
            filling.set(.string(name), at: AnswerKey(row: "1", "r/rk"))
            #expect(filling.value(of: AnswerKey(row: "1", "r/rkn")) == .string(label))
        }
        let whole = FormFilling(form, answers: filling.answers, in: .looking(at: 0))
        #expect(whole.answers == filling.answers)
    }
}
