import Forms
import TestSupport
import Testing

/// A list is gone through at the first look, and looked up by an index from the second one on.
@Suite("Lists are looked up by what stands in a column")
struct KeyLookUpTests {
    private static let texts = [
        "", "a", "b", "k1", "k2", "1", "1.0", "01", "true", "é", "e\u{301}", "2026-03-01",
        "2026-03-01T00:00:00.000Z", " a",
    ]

    private static let keys = [
        "'a'", "''", "'1'", "1", "1.0", "'é'", "true()", "/data/key", "/data/none", "/data/many",
        "concat('k', /data/number)", "/data/number + 0", "current()/../key", "date('2026-03-01')",
        "string(/data/number)", "if(/data/number = 1, 'k1', 'b')", "position(..)", "position()",
        "instance('other')/root/item[1]/code", "instance('other')/root/item[code = 'b']/code",
        "concat('k', position(current()/..))", "code", "random()",
        "concat('k', count(/data/many))", "unknown()",
    ]

    private static let predicates = [
        "code = KEY", "KEY = code", "code = KEY and size = '1'", "size = '1' and code = KEY",
        "size > 0 and KEY = code", "code = KEY or size = '1'", "code = KEY and position() < 9",
        "string(size) = '1' and code = KEY", "code != KEY", "absent = KEY",
        "code = KEY and absent = ''",
        "unknown() and code = KEY", "code = KEY and selected('a b', size)",
    ]

    private func list(_ random: inout SeededRandom) -> NodeTree {
        let rows = (0..<Int.random(in: 33...60, using: &random)).map { _ in
            var cells: [NodeContent] = []
            for name in ["code", "size", "code"] where Int.random(in: 0..<4, using: &random) > 0 {
                let text = Self.texts.randomElement(using: &random) ?? ""
                cells.append(NodeContent(name, text: text))
            }
            let isOther = Int.random(in: 0..<20, using: &random) == 0
            return NodeContent(isOther ? "other" : "item", children: cells)
        }
        return NodeTree(root: NodeContent("root", children: rows))
    }

    /// What a path comes to: the rows, or the error.
    private func rows(_ path: String, _ world: ExpressionWorld) -> [String] {
        do throws(ExpressionError) {
            let node = try FormExpression("/data/at/number").value(
                at: world.tree.document, in: world.surroundings)
            guard case .nodes(let origin) = node, let origin = origin.first,
                case .nodes(let found) = try FormExpression(path).value(
                    at: origin, in: world.surroundings)
            else { return ["no nodes"] }
            return found.map { "\($0.index)" }
        } catch {
            return ["\(error)"]
        }
    }

    @Test("the index finds what going through the rows finds", arguments: 0..<6)
    func sameAsScan(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        var world = try ExpressionWorld(
            "<data><key>\(["a", "k2", "", "é"][seed % 4])</key><number>1</number>"
                + "<many>a</many><many>b</many><at><number>1</number><key>b</key></at></data>")
        world.surroundings.instances["other"] = list(&random)
        for predicate in Self.predicates {
            for key in Self.keys {
                world.surroundings.instances["list"] = list(&random)
                let path =
                    "instance('list')/root/item["
                    + predicate.replacing("KEY", with: key) + "]"
                let first = rows(path, world)
                #expect(rows(path, world) == first, "\(path)")
                #expect(rows(path, world) == first, "\(path)")
            }
        }
    }

    @Test("pulldata takes the first row that has the key, before and with the index")
    func pullData() throws {
        for seed in 0..<8 {
            var random = SeededRandom(seed: UInt64(seed))
            var world = try ExpressionWorld()
            world.surroundings.instances["list"] = list(&random)
            for text in Self.texts {
                let call = "pulldata('list', 'size', 'code', '\(text)')"
                let first = try world.text(call)
                for _ in 0..<2 { #expect(try world.text(call) == first, "\(call)") }
            }
        }
    }
}
