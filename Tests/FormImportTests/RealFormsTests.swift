import Coding
import Forms
import Foundation
import TestSupport
import Testing

@testable import FormImport

/// Runs over a folder of real forms that `WALKDOWN_FORMS` names: forms, `INDEX.tsv` with what the
/// reference converter and validator said of them, and `converted/`. Does nothing without it.
@Suite("Real forms load as the reference says", .enabled(if: RealForms.folder != nil))
struct RealFormsTests {
    @Test("valid XForms load with the counts of the index; faulty ones are refused in one line")
    func xforms() throws {
        var report = Report()
        for row in try RealForms.index() where row.name.hasSuffix(".xml") {
            report.take(row, row.name, isValid: row.validator == "0") { try XFormReader.read($0) }
        }
        for row in try RealForms.index() where row.converter == "ok" && !row.name.hasSuffix(".xml")
        {
            let name = "converted/" + RealForms.stem(row.name) + ".xml"
            report.take(row, name, isValid: row.validator == "0") { try XFormReader.read($0) }
        }
        report.finish()
    }
}

extension RealFormsTests {
    @Test("damaged copies of real forms are read or refused in time", arguments: 0..<4)
    func damaged(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        for row in try RealForms.index() {
            let bytes = Damage.of(try RealForms.bytes(row.name), &random)
            let time = ThreadTime.measure {
                _ = refusal { _ = try FormFile.read(bytes, name: row.name) }
            }
            #expect(time < .seconds(3), "\(row.name), seed \(seed): \(time)")
        }
    }

    @Test("workbooks give the questions, groups, repeats, rules and choices of the reference")
    func workbooks() throws {
        var report = Report()
        for row in try RealForms.index() where row.name.hasSuffix(".xlsx") {
            let isOK = row.converter == "ok"
            report.take(row, row.name, isValid: isOK) { bytes in
                let read = try FormFile.read(bytes, name: row.name)
                if isOK, row.validator == "0" { try Self.compare(read.form, with: row.name) }
                return read
            }
        }
        for row in try RealForms.index() where row.name.hasSuffix(".xls") {
            report.take(row, row.name, isValid: false) { try FormFile.read($0, name: row.name) }
        }
        report.finish()
    }

    @Test("workbook 016 is read as the index has it, with the parts of its point")
    func partsOfPoint() throws {
        let row = try #require(
            try RealForms.index().first { $0.name.hasPrefix("016_") })
        let read = try FormFile.read(try RealForms.bytes(row.name), name: row.name)
        let form = try FormCompiler.compile(read).definition
        var filling = FormFilling(form, in: .looking(at: 0))
        filling.set(.string("52.1 4.3 7 12"), at: AnswerKey("group_where/location"))
        let values = ["x", "y", "horizontal_accuracy"].map {
            filling.value(of: AnswerKey($0)).plainText
        }
        #expect(values == ["4.3", "52.1", "12"])
    }

    @Test("rows in the record are laid down; form 046 has a template alone, and so none")
    func initialRows() throws {
        for row in try RealForms.index() {
            let name: String
            switch row.name.prefix(3) {
            case "046": name = row.name
            case "047", "055": name = "converted/" + RealForms.stem(row.name) + ".xml"
            default: continue
            }
            let read = try FormFile.read(try RealForms.bytes(name), name: name)
            let form = try FormCompiler.compile(read).definition
            let first = form.repetitions.map { InitialRow(path: $0.path) }
            #expect(form.parts.rows == (row.name.hasPrefix("046") ? [] : first), "\(name)")
            guard name != row.name else { continue }
            // The workbook begins as what the reference makes of it.
            let workbook = try FormFile.read(try RealForms.bytes(row.name), name: row.name)
            #expect(try FormCompiler.compile(workbook).definition.parts.rows == first)
        }
    }

    private static func compare(_ form: XForm, with name: String) throws {
        let converted = try XFormReader.read(
            try RealForms.bytes("converted/" + RealForms.stem(name) + ".xml")
        ).form
        #expect(form.controls.map(\.path) == converted.controls.map(\.path), "\(name)")
        #expect(
            form.controls.map(\.kind) == converted.controls.map(\.kind), "\(name)")
        for (ours, theirs) in zip(form.controls, converted.controls) {
            #expect(
                ours.itemset?.nodeset.text.bare == theirs.itemset?.nodeset.text.bare,
                "\(name) \(ours.path)")
            #expect(ours.appearance == theirs.appearance, "\(name) \(ours.path)")
        }
        let ours = Dictionary(form.binds.map { ($0.path, $0) }) { $1 }
        for bind in converted.binds {
            guard let own = ours[bind.path] else {
                Issue.record("\(name): no bind \(bind.path)")
                continue
            }
            for (rule, theirs) in [
                (own.relevant, bind.relevant), (own.constraint, bind.constraint),
                (own.calculate, bind.calculate), (own.required, bind.required),
                (own.readonly, bind.readonly),
            ] {
                #expect(rule?.text.bare == theirs?.text.bare, "\(name) \(bind.path)")
            }
            #expect(own.type == bind.type, "\(name) \(bind.path)")
        }
        let lists = form.lists
        let theirs = converted.lists
        #expect(Set(lists.keys) == Set(theirs.keys), "\(name)")
        for (list, choices) in theirs {
            #expect(lists[list] == choices, "\(name): \(list)")
        }
        #expect(form.actions.count == converted.actions.count, "\(name)")
        #expect(form.texts.languages == converted.texts.languages, "\(name)")
    }
}

extension String {
    fileprivate var bare: String { filter { !$0.isWhitespace } }
}

extension XForm {
    /// The values of each list inside the form.
    fileprivate var lists: [String: [String]] {
        var lists: [String: [String]] = [:]
        for instance in secondary {
            guard case .inside(let roots) = instance.source else { continue }
            lists[instance.id] = roots.flatMap { root in
                root.children.map { item in
                    item.children.first { $0.name == "name" }?.value ?? ""
                }
            }
        }
        return lists
    }
}

enum RealForms {
    static let folder = ProcessInfo.processInfo.environment["WALKDOWN_FORMS"]

    struct Row {
        var name: String
        var converter: String
        var validator: String
        /// controls, groups, repeats, relevant, constraint, calculate, languages; nil if unknown
        var counts: [Int?]
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: (folder ?? "") + "/" + name)))
    }

    static func index() throws -> [Row] {
        String(decoding: try bytes("INDEX.tsv"), as: UTF8.self).split(separator: "\n").dropFirst()
            .map { line in
                let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map(String.init)
                return Row(
                    name: fields[0], converter: fields[7], validator: fields[8],
                    counts: fields[9...15].map { Int($0) })
            }
    }

    /// XForms, workbooks, and what the reference made of those.
    static func readable() throws -> [(Row, String)] {
        try index().flatMap { row -> [(Row, String)] in
            if row.name.hasSuffix(".xml") { return [(row, row.name)] }
            guard row.converter == "ok" else { return [] }
            let converted = (row, "converted/" + stem(row.name) + ".xml")
            return row.name.hasSuffix(".xlsx") ? [converted, (row, row.name)] : [converted]
        }
    }

    static func stem(_ name: String) -> String {
        String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
    }
}

/// What became of the collection; printed, and held against what must be.
struct Report {
    private var loaded = 0
    private var equal = 0
    private var refused = 0
    private var warned: Set<String> = []

    mutating func take(
        _ row: RealForms.Row, _ name: String, isValid: Bool,
        read: ([UInt8]) throws -> ImportedForm
    ) {
        do {
            let bytes = try RealForms.bytes(name)
            var result: Result<ImportedForm, any Error>?
            let time = ThreadTime.measure { result = Result { try read(bytes) } }
            // A second is what a form may take. Not optimised, and with the comparison, these take
            // longer: optimised and alone, the slowest of the collection takes 0.07 s.
            #expect(time < .seconds(3), "\(name) took \(time)")
            guard let imported = try result?.get() else { return }
            loaded += 1
            let counts = imported.form.counts
            let found = [
                counts.controls, counts.groups, counts.repeats, counts.relevant,
                counts.constraint, counts.calculate, counts.languages,
            ]
            // What the converter refused, the index counts as nothing.
            let isCounted = !row.converter.hasPrefix("ERROR")
            let isEqual = !isCounted || zip(row.counts, found).allSatisfy { $0 == nil || $0 == $1 }
            equal += isEqual ? 1 : 0
            #expect(isEqual, "\(name): \(found), the index says \(row.counts)")
            if isValid, imported.warnings.contains(where: \.isUnsupported) { warned.insert(name) }
            for warning in imported.warnings { print("  \(name): \(warning)") }
        } catch {
            refused += 1
            print("  refused \(name): \(error)")
            #expect(!isValid, "\(name): \(error)")
        }
    }

    func finish() {
        print(
            "real forms: \(loaded) loaded, \(equal) equal, \(refused) refused, \(warned.count)",
            "with unsupported features")
        #expect(warned.count * 10 <= loaded)
    }
}

extension RealFormsTests {
    @Test("valid forms compile to definitions that read back equal; faulty ones say where")
    func compiled() throws {
        var compiled = 0
        var refused: [String] = []
        for (row, name) in try RealForms.readable() {
            do {
                let bytes = try RealForms.bytes(name)
                var made: Result<CompiledForm, any Error>?
                let time = ThreadTime.measure {
                    made = Result {
                        try FormCompiler.compile(FormFile.read(bytes, name: name))
                    }
                }
                #expect(time < .seconds(6), "\(name) took \(time)")
                guard let form = try made?.get() else { continue }
                compiled += 1
                let json = form.definition.json.serialized()
                let again = try FormDefinition(json: JSON.parse(json))
                #expect(again == form.definition, "\(name)")
                print("  \(name): \(json.count) bytes, \(time)")
            } catch {
                refused.append("\(name): \(error)")
                #expect(row.validator != "0", "\(name): \(error)")
            }
        }
        print("compiled \(compiled); refused:", refused.joined(separator: "\n  "))
    }
}
