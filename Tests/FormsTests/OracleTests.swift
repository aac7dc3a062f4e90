import Foundation
import Testing

@testable import Forms

/// What other engines' own tests expect of expressions, row by row.
@Suite("The oracle")
struct OracleTests {
    struct Row: Sendable, CustomStringConvertible {
        /// In the file, from 1.
        let line: Int
        let specification: String
        let kind: String
        let needsDocument: Bool
        let expression: String
        let expected: String

        var description: String { "line \(line): \(expression)" }
    }

    static let rows: [Row] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Resources/xpath-oracle.tsv")
        let text = FileManager.default.contents(atPath: file.path).map {
            String(decoding: $0, as: UTF8.self)
        }
        let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().dropFirst().compactMap { index, line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard columns.count == 6 else { return nil }
            return Row(
                line: index + 1, specification: String(columns[1]), kind: String(columns[2]),
                needsDocument: columns[3] == "context", expression: unescaped(columns[4]),
                expected: unescaped(columns[5]))
        }
    }()

    /// The lines that come out otherwise. Why stands in the module's README.
    static let knownMisses: Set<Int> = [125, 175, 832, 833, 834, 835, 836, 837, 867]

    private static func unescaped(_ text: Substring) -> String {
        [("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ("\\f", "\u{0C}"), ("\\v", "\u{0B}")]
            .reduce(String(text)) { text, escape in
                text.replacingOccurrences(of: escape.0, with: escape.1)
            }
    }

    /// 2026-11-30 12:00 in Phoenix, which is seven hours behind UTC all year.
    private static func surroundings() throws -> ExpressionSurroundings {
        var surroundings = ExpressionSurroundings(
            now: { 1_796_065_200_000 }, zone: ExpressionZone(fixedOffset: -7 * 3_600),
            randomFraction: { 0.5 }, uuid: { "12345678-1234-4234-8234-123456789abc" })
        for (id, xml) in OracleDocuments.instances {
            surroundings.instances[id] = try XMLFixture.tree(
                xml, attributes: [NodeContent.Attribute(name: "id", value: id)])
        }
        return surroundings
    }

    /// What the row comes to, in the words of its last column; nil when it fails.
    private static func outcome(_ row: Row) throws -> String? {
        let document = OracleDocuments.document(ofLine: row.line)
        let tree = try XMLFixture.tree(document?.xml ?? "<root/>")
        let node = document?.isAtRoot == true ? tree.root : tree.document
        let surroundings = try surroundings()
        do {
            return try outcome(row, node, surroundings)
        } catch {
            return nil
        }
    }

    private static func outcome(
        _ row: Row, _ node: Node, _ surroundings: ExpressionSurroundings
    ) throws(ExpressionError) -> String {
        // Rows about uuid() tell its length.
        let expression = try FormExpression(
            row.specification == "uuid.test.ts"
                ? "string-length(\(row.expression))" : row.expression)
        let value = try expression.value(at: node, in: surroundings)
        return switch row.kind {
        case "boolean": value.boolean ? "true" : "false"
        case "string": value.text(in: surroundings.zone)
        default: NumberText.write(value.number(in: surroundings.zone))
        }
    }

    private static func isHit(_ row: Row) throws -> Bool {
        guard let outcome = try outcome(row) else { return row.kind == "throws" }
        guard row.kind.hasPrefix("number") else {
            return row.kind != "throws" && outcome == row.expected
        }
        guard let found = Double(outcome), let expected = Double(row.expected) else {
            return outcome == row.expected
        }
        // These specifications compare days to hundredths.
        let isRounded =
            ["date.test.ts", "number.test.ts"].contains(row.specification)
            && row.expected.split(separator: ".").last?.count == 2
        return found == expected || abs(found - expected) <= (isRounded ? 0.005 : 1e-9)
            || (found.isNaN && expected.isNaN)
    }

    @Test("each row comes out as it did, known misses included", arguments: rows)
    func row(_ row: Row) throws {
        let isHit = try Self.isHit(row)
        let outcome = try Self.outcome(row)
        #expect(
            isHit != Self.knownMisses.contains(row.line),
            "\(row.kind) \(row.expected), came out \(outcome ?? "an error")")
    }

    @Test("99 % of the rows without a document hit, and 97 % of all")
    func share() throws {
        #expect(Self.rows.count == 993)
        let misses = Self.rows.filter { Self.knownMisses.contains($0.line) }
        let alone = Self.rows.filter { !$0.needsDocument }
        let missesAlone = misses.filter { !$0.needsDocument }
        #expect(missesAlone.count * 100 <= alone.count)
        #expect(misses.count * 100 <= Self.rows.count * 3)
    }
}
