import Foundation
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
        let clock = ContinuousClock()
        let start = clock.now
        do {
            let imported = try read(try RealForms.bytes(name))
            loaded += 1
            let counts = imported.form.counts
            let found = [
                counts.controls, counts.groups, counts.repeats, counts.relevant,
                counts.constraint, counts.calculate, counts.languages,
            ]
            let isEqual = zip(row.counts, found).allSatisfy { $0 == nil || $0 == $1 }
            equal += isEqual ? 1 : 0
            #expect(isEqual, "\(name): \(found), the index says \(row.counts)")
            if isValid, imported.warnings.contains(where: \.isUnsupported) { warned.insert(name) }
            for warning in imported.warnings { print("  \(name): \(warning)") }
        } catch {
            refused += 1
            print("  refused \(name): \(error)")
            #expect(!isValid, "\(name): \(error)")
        }
        let time = clock.now - start
        #expect(time < .seconds(1), "\(name) took \(time)")
    }

    func finish() {
        print(
            "real forms: \(loaded) loaded, \(equal) equal, \(refused) refused, \(warned.count)",
            "with unsupported features")
        #expect(warned.count * 10 <= loaded)
    }
}
