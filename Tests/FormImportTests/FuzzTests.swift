import Coding
import Foundation
import TestSupport
import Testing

@testable import FormImport
@testable import Forms

/// Damaged forms and expressions, all the way from the bytes to a form that is filled in: no crash,
/// and nothing takes a second.
///
/// A few by seed in each run. For longer, `WALKDOWN_FUZZ=SECONDS swift test --filter FuzzTests` goes on
/// with seeds from the clock; `WALKDOWN_FUZZ_NOTE=FOLDER` keeps there which seed each kind is at, so
/// that a crash can be repeated: `WALKDOWN_FUZZ_SEED=N` runs that one. `WALKDOWN_FUZZ_KIND` names one kind.
@Suite("Fuzzing forms")
struct FuzzTests {
    static let environment = ProcessInfo.processInfo.environment

    enum Kind: String, CaseIterable, Sendable {
        case xform, workbook, expression
    }

    @Test(
        "damaged input is read or refused, filled in, and none of it takes a second",
        arguments: Kind.allCases)
    func fuzz(kind: Kind) throws {
        let run = FuzzRun(kind: kind)
        if let only = Self.environment["WALKDOWN_FUZZ_KIND"], only != kind.rawValue { return }
        if let seed = Self.environment["WALKDOWN_FUZZ_SEED"].flatMap(UInt64.init) {
            return try run.once(seed)
        }
        guard let seconds = Self.environment["WALKDOWN_FUZZ"].flatMap(Int.init) else {
            for seed in 0..<150 { try run.once(UInt64(seed)) }
            return
        }
        let end = ContinuousClock.now + .seconds(seconds)
        var seed = UInt64(Date().timeIntervalSince1970 * 1000)
        let first = seed
        while ContinuousClock.now < end {
            try run.note(seed)
            try run.once(seed)
            seed += 1
        }
        print("\(kind.rawValue): \(seed - first) inputs in \(seconds) s")
    }
}

struct FuzzRun {
    let kind: FuzzTests.Kind

    func note(_ seed: UInt64) throws {
        guard let folder = FuzzTests.environment["WALKDOWN_FUZZ_NOTE"] else { return }
        try Data("\(seed)\n".utf8).write(
            to: URL(fileURLWithPath: folder + "/" + kind.rawValue), options: [])
    }

    func once(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let time: Duration
        switch kind {
        case .xform:
            let bytes = Damage.of(random.pick(Self.forms), &random)
            time = ThreadTime.measure { Self.tryAll(bytes, "form.xml", &random) }
        case .workbook:
            let bytes = damagedWorkbook(&random)
            time = ThreadTime.measure { Self.tryAll(bytes, "form.xlsx", &random) }
        case .expression:
            let text = FuzzedExpression.text(&random)
            time = ThreadTime.measure { evaluate(text) }
        }
        #expect(time < .seconds(1), "\(kind.rawValue) seed \(seed)")
    }

    /// Read, compile, write, read again, fill in.
    private static func tryAll(_ bytes: [UInt8], _ name: String, _ random: inout SeededRandom) {
        do {
            let form = try FormCompiler.compile(FormFile.read(bytes, name: name)).definition
            let again = try FormDefinition(json: JSON.parse(form.json.serialized()))
            #expect(again == form)
            _ = NeverAsked(form).questions
            fill(form, &random)
        } catch {
            // Refused, in one line.
            #expect(!"\(error)".contains("\n"))
        }
    }

    private static func fill(_ form: FormDefinition, _ random: inout SeededRandom) {
        var filling = FormFilling(form, in: .looking(at: 1_780_000_000_000))
        _ = filling.begin(newID: rowIDs())
        if let repetition = form.repetitions.first, form.repetition(around: repetition.path) == nil
        {
            _ = filling.add(FormAnswers.Row(id: "r", path: repetition.path))
        }
        for _ in 0..<4 {
            let question = random.pick(form.allQuestions)
            let row = form.repetition(around: question.path) == nil ? nil : "r"
            let value = random.pick(
                [.integer(5), .string("a"), .string("2026-03-14"), .null, .double(0.1)]
                    as [FieldValue])
            _ = filling.set(value, at: AnswerKey(row: row, question.path))
        }
        _ = filling.state
        for question in form.allQuestions.prefix(20) {
            _ = filling.text(question.text, at: AnswerKey(question.path))
            _ = filling.offered(at: AnswerKey(question.path))
        }
    }

    private func evaluate(_ text: String) {
        do throws(ExpressionError) {
            let expression = try FormExpression(text)
            _ = expression.callProblems
            _ = expression.dependencies(at: "/data/a")
            #expect(try FormExpression(expression.tree.description).tree == expression.tree)
            let tree = NodeTree(
                root: NodeContent(
                    "data",
                    children: ["a", "b", "b", "c"].enumerated().map {
                        NodeContent($1, text: "\($0)")
                    }))
            _ = try expression.value(at: tree.root, in: Self.nowhere)
        } catch {
            #expect(error.character >= 1)
        }
    }

    private static let nowhere = ExpressionSurroundings(
        instances: [:], now: { 1_780_000_000_000 }, zone: ExpressionZone(fixedOffset: 3600),
        randomFraction: { 0.5 }, uuid: { "u" })

    // MARK: What is damaged

    private static let forms: [[UInt8]] = [
        HostileFormsTests.whole, Array(rich.utf8),
    ]

    /// Damage to the parts as text, packed anew; and now and then to the packed bytes.
    private func damagedWorkbook(_ random: inout SeededRandom) -> [UInt8] {
        var rows: [[String]] = [["type", "name", "label", "relevant", "calculation", "constraint"]]
        let types = [
            "integer", "text", "begin group", "end group", "begin repeat", "end repeat",
            "select_one k", "select_multiple k", "calculate", "note", "date", "rank k", "",
        ]
        for number in 0..<(1 + random.below(12)) {
            let rule = random.oneIn(2) ? FuzzedExpression.text(&random) : ""
            rows.append([
                random.pick(types), random.oneIn(8) ? "q 1" : "q\(number)", "Q \(number)",
                random.oneIn(2) ? rule : "", random.oneIn(3) ? "${q\(random.below(12))} + 1" : "",
                random.oneIn(3) ? rule : "",
            ])
        }
        var workbook = SmallWorkbook()
        workbook.sheets = [
            ("survey", rows),
            ("choices", [["list_name", "name", "label"], ["k", "a", "A"], ["k", "b", "B"]]),
        ]
        let bytes = workbook.bytes
        return random.oneIn(3) ? Damage.of(bytes, &random) : bytes
    }

    /// Calculations, repeats, lists, filters, actions and outputs in a few lines.
    private static let rich = """
        <h:html xmlns="http://www.w3.org/2002/xforms" xmlns:h="http://www.w3.org/1999/xhtml"
         xmlns:jr="http://openrosa.org/javarosa">
        <h:head><h:title>Rich</h:title><model>
        <instance><data id="rich" version="1"><n/><town/><sum/><pump jr:template=""><tag/><x/>
        <pos/></pump></data></instance>
        <instance id="towns"><root><item><name>a</name><label>A</label><r>1</r></item>
        <item><name>b</name><label>B</label><r>2</r></item></root></instance>
        <bind nodeset="/data/n" type="int" constraint=". &gt; 0 and . &lt; 10"/>
        <bind nodeset="/data/town" type="string" relevant="/data/n != ''"/>
        <bind nodeset="/data/sum" type="decimal" calculate="sum(/data/pump/x) * /data/n"/>
        <bind nodeset="/data/pump/tag" required="true()" constraint="regex(., '[A-Z]-[0-9]+')"/>
        <bind nodeset="/data/pump/x" type="decimal" relevant="../tag != ''"/>
        <bind nodeset="/data/pump/pos" calculate="position(..)"/>
        <setvalue event="odk-instance-first-load" ref="/data/n" value="round(3.5)"/>
        </model></h:head><h:body><input ref="/data/n"><label>N</label></input>
        <select1 ref="/data/town"><label>Town <output value="/data/n"/></label>
        <itemset nodeset="instance('towns')/root/item[r = /data/n]"><value ref="name"/>
        <label ref="label"/></itemset></select1>
        <group ref="/data/pump"><label>Pumps</label><repeat nodeset="/data/pump">
        <input ref="/data/pump/tag"><label>Tag</label></input>
        <input ref="/data/pump/x"><label>X</label></input></repeat></group></h:body></h:html>
        """
}

/// Expressions put together of what expressions are made of, whole and broken.
enum FuzzedExpression {
    private static let pieces = [
        "1", "0.5", "-", "+", "*", " div ", " mod ", "=", "!=", "<", ">=", " and ", " or ", "(",
        ")",
        "[", "]", "/", "//", ".", "..", "'", "\"", ",", "a", "/data/a", "/data/b", "../c", "$",
        "@x",
        "true()", "today()", "count(/data/b)", "sum(/data/b)", "position(..)", "if(", "selected(",
        "concat(", "regex(/data/a, '(a+)+b')", "format-date(today(), '%Y')", "substr('abc', 1, 2)",
        "pow(10, 400)", "round(1.5, 2)", "randomize(/data/b)", "join(' ', /data/b)", "not(",
        "indexed-repeat(/data/b, /data, 1)", "instance('x')/root", "digest('a', 'MD5')", "é",
        "\u{0}",
        "current()/..", "string-length(", "coalesce(", "date('2026-02-30')", "9999999999999999999",
        "decimal-date-time(", "translate('a', 'b', ''", "min()", "1e9", "|", "*[1]", "text()",
    ]

    static func text(_ random: inout SeededRandom) -> String {
        (0...random.below(14)).map { _ in random.pick(pieces) }.joined()
    }
}

@Suite("Hostile forms, from the file to the screen")
struct HostileCompilationTests {
    private func compiled(_ small: SmallForm) throws -> CompiledForm {
        try FormCompiler.compile(small.read())
    }

    @Test("a circle of calculations is refused, with the names of what is in it")
    func cycle() {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" calculate="/data/kind + 1"/>
            <bind nodeset="/data/kind" calculate="/data/psi + 1"/>
            """
        let words = refusal { _ = try compiled(small) } ?? ""
        #expect(words.contains("circle") && words.contains("psi") && words.contains("kind"))
    }

    @Test("elements within a million others are refused at once")
    func deep() {
        let deep = Array(String(repeating: "<a>", count: 1_000_000).utf8)
        let time = ThreadTime.measure {
            #expect(refusal { _ = try FormFile.read(deep, name: "deep.xml") } != nil)
        }
        #expect(time < .seconds(1))
    }

    @Test("groups within fifty thousand others in a workbook are refused, with the row")
    func deepSheet() {
        let rows = (0..<50_000).map { "begin_group,g\($0),G\n" }.joined()
        let survey = Array(("type,name,label\n" + rows).utf8)
        let time = ThreadTime.measure {
            let words = refusal {
                _ = try XLSFormReader.read(sheets: ["survey": survey], name: "deep")
            }
            #expect(words?.contains("sheet survey, row 10") == true, "\(words ?? "")")
        }
        #expect(time < .seconds(1))
    }

    @Test("entities that multiply are refused")
    func laughs() {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE h [<!ENTITY a0 \"ha\">"
        for number in 1...30 {
            text += "<!ENTITY a\(number) \"&a\(number - 1);&a\(number - 1);\">"
        }
        text += "]><h>&a30;</h>"
        #expect(refusal { _ = try FormFile.read(Array(text.utf8), name: "h.xml") } != nil)
    }

    @Test(
        "a pattern that other engines never finish is answered in time",
        arguments: ["(a+)+b", "(a|a)*b", "(.*)*x", "([a-z]+)*[0-9]", "(a?){50}a{50}"])
    func regex(pattern: String) throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="string" constraint="regex(., '\(pattern)')"/>
            """
        let form = try compiled(small).definition
        var filling = FormFilling(form, in: .looking(at: 0))
        let time = ThreadTime.measure {
            _ = filling.set(
                .string(String(repeating: "a", count: 3_000) + "!"), at: AnswerKey("psi"))
        }
        #expect(time < .seconds(1))
    }

    @Test("no escape of a terminal comes through in a title, label, hint, choice or message")
    func escapes() throws {
        let evil = "\u{9B}2J\u{202E}evil\u{85}\u{AD}"
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="string" constraint="false()" jr:constraintMsg="\(evil)"/>
            """
        small.body = """
            <select1 ref="/data/psi"><label>\(evil)</label><hint>\(evil)</hint>
            <item><label>\(evil)</label><value>a</value></item></select1>
            """
        let form = try compiled(small).definition
        let question = try #require(form.question(named: "psi"))
        let shown = [
            question.label, question.hint ?? "", question.choices[0].label,
            question.rules.constraintText?.plain ?? "",
        ]
        for text in shown {
            #expect(text.contains("evil"))
            #expect(
                !text.unicodeScalars.contains {
                    $0.value < 0x20 || (0x7F...0x9F).contains($0.value)
                })
            #expect(!text.contains("\u{202E}"))
        }
        #expect(
            refusal {
                small.body = "<input ref=\"/data/psi\"><label>\u{1B}[2J</label></input>"
                _ = try compiled(small)
            } != nil, "XML itself has no such character")
    }

    @Test("a cascade of ten thousand repeated calculations is no burden")
    func wide() throws {
        var small = SmallForm()
        let names = (0..<2_000).map { "q\($0)" }
        small.record = names.map { "<\($0)/>" }.joined()
        small.model = zip(names, names.dropFirst()).map {
            "<bind nodeset=\"/data/\($1)\" calculate=\"/data/\($0) + 1\"/>"
        }.joined()
        small.body = "<input ref=\"/data/q0\"/>"
        let form = try compiled(small).definition
        var filling = FormFilling(form, in: .looking(at: 0))
        let time = ThreadTime.measure { _ = filling.set(.integer(1), at: AnswerKey("q0")) }
        #expect(filling.value(of: AnswerKey("q1999")) == .string("2000"))
        #expect(time < .seconds(1))
    }
}
