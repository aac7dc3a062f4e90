import Glibc
import TestSupport
import Testing

@testable import Forms

@Suite("Hostile expressions")
struct ExpressionLimitsTests {
    @Test(
        "a million deep is refused, not followed",
        arguments: ["(", "-(", "a[", "not(", "/a[", "1+(", "count(a[", "- "])
    func deep(opening: String) {
        do {
            _ = try FormExpression(String(repeating: opening, count: 1_000_000) + "1")
            Issue.record("was read")
        } catch {
            #expect(error.code == .tooLarge)
        }
    }

    @Test(
        "as deep as the bytes allow is refused with its place",
        arguments: ["(", "-(", "a[", "not(", "/a[", "1+("])
    func deepWithinBytes(opening: String) {
        let source = String(repeating: opening, count: 10_000) + "1"
        do {
            _ = try FormExpression(source)
            Issue.record("was read")
        } catch {
            #expect(error.code == .tooLarge && error.character > 1)
        }
    }

    @Test("nesting up to the limit is evaluated, in any form")
    func nested() throws {
        let depth = ExpressionLimits.depth - 2
        let world = try ExpressionWorld()
        for (opening, closing) in [("(", ")"), ("not(", ")"), ("-(", ")"), ("1+(", ")")] {
            let source =
                String(repeating: opening, count: depth / 2) + "1"
                + String(repeating: closing, count: depth / 2)
            #expect(world.failure(source) == nil, "\(opening)")
        }
        let choices = (0..<55).map { "if(/data = \($0), \($0), " }.joined()
        #expect(world.failure(choices + "0" + String(repeating: ")", count: 55)) == nil)
    }

    @Test(
        "ten thousand terms on one level are no deeper than two",
        arguments: [" or ", " + ", " | ", " and ", " = ", " * "])
    func wide(sign: String) throws {
        let source = Array(repeating: "a", count: 8_000).joined(separator: sign)
        let world = try ExpressionWorld("<data><a>1</a></data>")
        #expect(world.failure(source) == nil)
        let expression = try FormExpression(source)
        #expect(try FormExpression(expression.tree.description).tree == expression.tree)
    }

    @Test(
        "an evaluation that does not end within its steps is ended",
        arguments: [
            "count(//*[count(//*[. = 1]) > 0])", "//r[//r = 'x']", "//r[string-length(/) = 1]",
            "count(/data/r[sum(/data/r) > count(/data/r[. > 1])])",
            "/data/r[not(. = 'x') and count(../r) = 0]",
        ])
    func steps(source: String) throws {
        let rows = (0..<1_000).map { NodeContent("r", text: "\($0)") }
        let tree = NodeTree(root: NodeContent("data", children: rows))
        try expectEnded(source, in: tree)
    }

    private func expectEnded(_ source: String, in tree: NodeTree) throws {
        let evaluation = Evaluation(
            surroundings: try ExpressionWorld().surroundings, origin: tree.root,
            mostSteps: 100_000)
        let expression = try FormExpression(source)
        do {
            _ = try evaluation.value(
                of: expression.tree, Evaluation.Context(node: tree.root))
            Issue.record("came to an end")
        } catch {
            #expect(error.code == .tooLarge)
        }
    }

    @Test(
        "nor are long texts and deep groups to be had for nothing",
        arguments: [
            "//r[regex(/data/t, '(a|b|c|a)*d')]", "//r[string-length(/data/t) = 1]",
            "//r[regex(., concat('((a{50}){50})', count(.//r)))]",
            "//r[/data/t = /data/t and 1 = 2]",
            "//r[translate(/data/t, 'a', 'b') = '']", "//r[uuid(1000) = '']", "//*[//* = 'x']",
            "//*[sum(//*) = 1]", "//*[max(//*) = 1]", "//r[digest(/data/t, 'MD5') = '']",
        ])
    func longTexts(source: String) throws {
        var deep = NodeContent("r")
        for _ in 0..<300 { deep = NodeContent("r", children: [deep]) }
        let tree = NodeTree(
            root: NodeContent(
                "data",
                children: [deep, NodeContent("t", text: String(repeating: "a", count: 50_000))]))
        try expectEnded(source, in: tree)
    }

    @Test("a text does not grow without end")
    func growth() throws {
        let world = try ExpressionWorld(
            "<data><t>" + String(repeating: "x", count: 100_000) + "</t></data>")
        let twelve = Array(repeating: "/data/t", count: 12).joined(separator: ", ")
        #expect(world.failure("concat(\(twelve))")?.code == .tooLarge)
        let rows = (0..<2_000).map { _ in NodeContent("r", text: "") }
        var wide = try ExpressionWorld()
        wide.tree = NodeTree(
            root: NodeContent(
                "data",
                children: rows + [NodeContent("t", text: String(repeating: "x", count: 9_000))]))
        #expect(wide.failure("join(/data/t, /data/r)")?.code == .tooLarge)
    }

    @Test(
        "a regular expression that makes others hang is answered",
        arguments: [
            "(a+)+$", "(a*)*b", "(a|a)*b", "(a|aa)+b", "(.*)(.*)(.*)(.*)(.*)b", "(x?){1000}b",
            "^(([a-z])+.)+[A-Z]([a-z])+$", "((a{0,30}){0,30})b", "(?=(a+)+b)a*",
        ])
    func catastrophe(pattern: String) throws {
        let text = String(repeating: "a", count: 2_000)
        let world = try ExpressionWorld("<data><t>\(text)</t></data>")
        let clock = ContinuousClock()
        let time = clock.measure {
            let error = world.failure("regex(/data/t, '\(pattern)')")
            #expect(error == nil || error?.code == .tooLarge)
        }
        #expect(time < .seconds(10))
    }

    @Test(
        "a regular expression that would unfold to too much is refused",
        arguments: [
            "((a{1000}){1000}){1000}", "a{1001}", "((){1000}){1000}{1000}x{1000}{1000}",
            String(repeating: "(", count: 1_000), "(a{500}b{500}){500}",
        ])
    func unfolding(pattern: String) throws {
        let error = try ExpressionWorld().failure("regex('a', '\(pattern)')")
        #expect(error?.code == .tooLarge || error?.code == .badArgument)
    }

    @Test("20,000 damaged expressions: no crash, and each ends")
    func fuzz() throws {
        var fuzz = ExpressionFuzz(random: SeededRandom(seed: 4))
        let world = try fuzz.world()
        var read = 0
        var slowest = 0.0
        for _ in 0..<20_000 {
            let source = fuzz.next()
            guard let expression = fuzz.read(source) else { continue }
            read += 1
            let printed = expression.tree.description
            let again = fuzz.read(printed)
            #expect(again?.tree == expression.tree, "\(source) was printed as \(printed)")
            let start = Self.processorSeconds()
            _ = world.failure(source)
            slowest = max(slowest, Self.processorSeconds() - start)
            _ = expression.callProblems
            _ = expression.dependencies(at: "/data/pump/tag")
        }
        #expect(read > 3_000)
        #expect(slowest < 1)
    }

    /// Of this thread: other tests run beside this one.
    private static func processorSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Expressions that were right and have been hurt.
struct ExpressionFuzz {
    var random: SeededRandom

    private static let seeds =
        OracleTests.rows.map(\.expression) + [
            "instance('pumps')/root/item[site = /data/site]/name",
            "indexed-repeat(/data/pump/tag, /data/pump, position(..) - 1)",
            "regex(., '^[A-Z]{2}-(\\d+|x)*$')", "format-date(today(), '%Y-%m-%d')",
            "if(selected(/data/site, 'north'), sum(/data/pump/part/size), -1)",
            "weighted-checklist(1, 3, /data/a, /data/b)",
            "pulldata('pumps', 'size', 'name', ../tag)",
            "randomize(/data/pump, 7)", "once(concat(uuid(), now()))", "substr(., -2, 4)",
        ]
    private static let scraps = [
        "(", ")", "[", "]", "/", "//", ".", "..", "@", ",", "'", "\"", "*", "-", "+", "|", "=",
        "!=", "<", " or ", " and ", " div ", "mod", "1e308", "0", "-1", ".5", "count(", "position(",
        "/data/pump", "::", "self::", "node()", "é", "\u{0}", "\u{1B}", "👩‍🔧", "$", "{", "}", "\\",
    ]

    func world() throws -> ExpressionWorld {
        var world = try ExpressionWorld(PathTests.site)
        world.surroundings.instances["pumps"] = try XMLFixture.tree(
            "<root><item><name>P-1</name><site>north</site><size>4</size></item></root>")
        return world
    }

    func read(_ source: String) -> FormExpression? {
        do {
            return try FormExpression(source)
        } catch {
            return nil
        }
    }

    mutating func next() -> String {
        var characters = Array(random.pick(Self.seeds))
        for _ in 0..<(1 + random.below(4)) {
            let at = random.below(characters.count + 1)
            switch random.below(5) {
            case 0: characters.insert(contentsOf: random.pick(Self.scraps), at: at)
            case 1 where at < characters.count: characters.remove(at: at)
            case 2: characters.insert(contentsOf: random.pick(Self.seeds), at: at)
            case 3 where at < characters.count:
                let end = min(characters.count, at + 1 + random.below(8))
                characters.insert(contentsOf: characters[at..<end], at: at)
            default: characters.removeLast(min(characters.count, random.below(6)))
            }
        }
        return String(characters.prefix(2_000))
    }
}
