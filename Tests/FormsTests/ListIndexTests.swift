import Forms
import TestSupport
import Testing

/// Filters of long lists are looked up from the second time on; what comes out is what going through
/// all rows gives.
@Suite("Looking things up in long lists")
struct ListIndexTests {
    private static let rows = 500

    private func world() throws -> ExpressionWorld {
        var world = try ExpressionWorld(
            "<data><want>k3</want><none/><r><v>1</v></r><r><v>2</v></r><r><v>3</v></r></data>")
        world.surroundings.instances["list"] = NodeTree(
            root: NodeContent(
                "root",
                children: (0..<Self.rows).map { number in
                    var cells = [NodeContent("name", text: "n\(number)")]
                    // Every fifth has no kind, and every seventh two of them.
                    if number % 5 != 0 {
                        cells.append(NodeContent("kind", text: "k\(number % 10)"))
                    }
                    if number % 7 == 0 { cells.append(NodeContent("kind", text: "k3")) }
                    cells.append(NodeContent("price", text: "\(number)"))
                    return NodeContent(number % 50 == 49 ? "other" : "item", children: cells)
                }))
        return world
    }

    private static func count(_ holds: (_ number: Int, _ kinds: [String]) -> Bool) -> String {
        let fitting = (0..<rows).filter { number in
            let kinds =
                (number % 5 != 0 ? ["k\(number % 10)"] : []) + (number % 7 == 0 ? ["k3"] : [])
            return number % 50 != 49 && holds(number, kinds)
        }
        return String(fitting.count)
    }

    private static let filters: [(String, String)] = [
        ("kind = 'k3'", count { $1.contains("k3") }),
        ("kind = /data/want", count { $1.contains("k3") }),
        ("kind = /data/none", count { $1.isEmpty }),
        ("kind = concat('k', position(current()/..))", count { $1.contains("k2") }),
        ("kind = 'k3' and price > 100", count { $0 > 100 && $1.contains("k3") }),
        ("price > 100 and kind = 'k3'", count { $0 > 100 && $1.contains("k3") }),
        ("kind = 'k3' or price = 1", count { $0 == 1 || $1.contains("k3") }),
        ("kind = 'k9' and name = 'n9'", "1"), ("kind = 'k77'", "0"),
        ("price = 7", "1"), ("nothing = ''", count { _, _ in true }),
        ("not(kind = 'k3')", count { !$1.contains("k3") }),
    ]

    @Test("the same rows are found the first time and the third", arguments: filters)
    func rows(predicate: String, expected: String) throws {
        let world = try world()
        for _ in 1...3 {
            let found = try world.text(
                "count(instance('list')/root/item[\(predicate)])", at: "/data/r[2]/v")
            #expect(found == expected)
        }
    }

    @Test("a place among all rows is not taken for one among those that were found")
    func places() throws {
        let world = try world()
        for _ in 1...3 {
            let list = "instance('list')/root/item"
            #expect(try world.text("count(\(list)[kind = 'k2' and position() < 14])") == "2")
            #expect(try world.text("\(list)[kind = 'k2'][2]/name") == "n12")
            #expect(try world.text("\(list)[kind = 'k2'][position() = last()]/name") == "n492")
        }
    }

    @Test("a value is pulled from the first row that has the key, and from none for an empty one")
    func pulled() throws {
        let world = try world()
        for _ in 1...3 {
            #expect(try world.text("pulldata('list', 'price', 'kind', 'k2')") == "2")
            #expect(try world.text("pulldata('list', 'price', 'kind', '')") == "")
            #expect(try world.text("pulldata('list', 'price', 'name', 'n499')") == "499")
            #expect(try world.text("pulldata('list', 'price', 'name', 'x')") == "")
        }
    }
}
