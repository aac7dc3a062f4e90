import Forms
import TestSupport
import Testing

@Suite("Paths, repeats and lists")
struct PathTests {
    static let site = """
        <data><site>north</site><pump><tag>P-1</tag><part><size>4</size></part>\
        <part><size>6</size></part></pump><pump><tag>P-2</tag><part><size>8</size></part></pump>\
        <pump><tag>P-3</tag></pump></data>
        """

    @Test(
        "an absolute path stays in the repeat that the expression stands in",
        arguments: [
            ("/data/pump/tag", "/data/pump[2]/part", "P-2"),
            ("count(/data/pump)", "/data/pump[2]/tag", "3"),
            ("count(/data/pump/part)", "/data/pump[1]/tag", "2"),
            ("sum(/data/pump/part/size)", "/data/pump[1]/part[2]/size", "6"),
            ("sum(/data/pump/part/size)", "/data/site", "18"),
            ("sum(../../part/size)", "/data/pump[1]/part[2]/size", "10"),
            ("/data/pump[3]/tag", "/data/pump[1]/tag", "P-3"),
            ("/data/site", "/data/pump[2]/part/size", "north"),
            ("current()/../tag", "/data/pump[3]/tag", "P-3"),
        ])
    func absolute(expression: String, at: String, expected: String) throws {
        #expect(try ExpressionWorld(Self.site).text(expression, at: at) == expected)
    }

    @Test(
        "within a predicate an absolute path stays with the row under test",
        arguments: [
            ("sum(/data/pump[/data/pump/tag = 'P-2']/part/size)", "/data/site", "8"),
            ("count(/data/pump[count(/data/pump/part) > 1])", "/data/site", "1"),
            ("join(' ', /data/pump[/data/pump/tag != 'P-1']/tag)", "/data/pump[1]/tag", "P-2 P-3"),
            ("count(/data/pump[/data/site = 'north'])", "/data/pump[1]/tag", "3"),
            ("count(/data/pump/part[/data/pump/part/size > 5])", "/data/site", "2"),
            ("count(/data/pump[tag = current()/../tag])", "/data/pump[1]/tag", "1"),
            (
                "join(' ', /data/pump[indexed-repeat(/data/pump/part/size, /data/pump/part, 1) > 5]"
                    + "/tag)", "/data/site", "P-2"
            ),
        ])
    func absoluteInPredicate(expression: String, at: String, expected: String) throws {
        #expect(try ExpressionWorld(Self.site).text(expression, at: at) == expected)
    }

    @Test("also among many rows, where what is the same for all is reckoned once")
    func absoluteAmongMany() throws {
        let rows = (1...20).map {
            "<r><kind>\($0 % 2 == 0 ? "b" : "a")</kind><v>\($0)</v></r>"
        }
        let world = try ExpressionWorld("<data><want>b</want>\(rows.joined())</data>")
        let sum = try world.text("sum(/data/r[/data/r/kind = 'b']/v)", at: "/data/want")
        #expect(sum == "110")
        let wanted = try world.text("sum(/data/r[kind = /data/want]/v)", at: "/data/r[1]/v")
        #expect(wanted == "110")
    }

    @Test(
        "position(..) counts equal siblings",
        arguments: [
            ("position(..)", "/data/pump[2]/tag", "2"),
            ("position(../..)", "/data/pump[1]/part[2]/size", "1"),
            ("position(..)", "/data/pump[1]/part[2]/size", "2"),
            ("position(..)", "/data/site", "1"),
            ("count(/data/pump[position() < 3])", "/data", "2"),
            ("/data/pump[position() = last()]/tag", "/data", "P-3"),
        ])
    func position(expression: String, at: String, expected: String) throws {
        #expect(try ExpressionWorld(Self.site).text(expression, at: at) == expected)
    }

    @Test(
        "indexed-repeat takes one of the repeats",
        arguments: [
            ("indexed-repeat(/data/pump/tag, /data/pump, 2)", "/data/site", "P-2"),
            (
                "indexed-repeat(/data/pump/tag, /data/pump, position(..) - 1)", "/data/pump[3]/tag",
                "P-2"
            ),
            ("indexed-repeat(/data/pump/tag, /data/pump, 9)", "/data/site", ""),
            ("indexed-repeat(/data/pump/tag, /data/pump, 0)", "/data/site", "P-1"),
            (
                "indexed-repeat(/data/pump/part/size, /data/pump, 1, /data/pump/part, 2)",
                "/data/site", "6"
            ),
            ("indexed-repeat(/data/pump/part/size, /data/pump/part, 2)", "/data/pump[1]/tag", "6"),
            (
                "sum(indexed-repeat(/data/pump/part/size, /data/pump, 1))",
                "/data/pump[2]/part/size", "10"
            ),
            ("indexed-repeat(../tag, .., 3)", "/data/pump[1]/tag", "P-3"),
        ])
    func indexed(expression: String, at: String, expected: String) throws {
        #expect(try ExpressionWorld(Self.site).text(expression, at: at) == expected)
    }

    @Test("indexed-repeat says which argument is no repeat around the first")
    func indexedFaults() throws {
        let world = try ExpressionWorld(Self.site)
        let outside = world.failure("indexed-repeat(/data/pump/tag, /data/site, 1)")
        #expect(outside?.message.contains("argument 2") == true)
        #expect(world.failure("indexed-repeat('tag', /data/pump, 1)")?.code == .badArgument)
        #expect(world.failure("indexed-repeat(/data/pump/tag, /data/pump)")?.code == .wrongArity)
    }

    private static let pumps = """
        <root><item><name>P-1</name><site>north</site><size>4</size></item>\
        <item><name>P-2</name><site>south</site><size>6</size></item>\
        <item><name>P-3</name><site>north</site><size>8</size></item></root>
        """

    @Test(
        "lists: choice filters, pulldata, current()",
        arguments: [
            ("instance('pumps')/root/item[site = /data/site]/name", "P-1"),
            ("count(instance('pumps')/root/item[site = /data/site])", "2"),
            ("count(instance('pumps')/root/item[site = current()/../site])", "2"),
            ("instance('pumps')/root/item[name = 'P-2']/size", "6"),
            ("join(' ', instance('pumps')/root/item[size > 5]/name)", "P-2 P-3"),
            ("pulldata('pumps', 'size', 'name', 'P-3')", "8"),
            ("pulldata('pumps', 'size', 'name', 'P-9')", ""),
            ("pulldata('@geopoint', '52.1 4.3 7 12', 'x')", "4.3"),
            ("pulldata(\"@geopoint\", '52.1 4.3 7 12', 'y')", "52.1"),
            ("pulldata('@geopoint', '52.1 4.3 7 12', 'z')", "7"),
            ("pulldata('@geopoint', '52.1 4.3 7 12', 'horizontalAccuracy')", "12"),
            ("pulldata('@geopoint', '52.1 4.3 7 12', 'speed')", ""),
            ("pulldata('@geopoint', '', 'x')", ""),
            ("pulldata('pumps', 'colour', 'name', 'P-3')", ""),
            ("join(' ', instance('pumps')/root/item[site = 'north' and size > 5]/name)", "P-3"),
        ])
    func lists(expression: String, expected: String) throws {
        var world = try ExpressionWorld(Self.site)
        world.surroundings.instances["pumps"] = try XMLFixture.tree(Self.pumps)
        #expect(try world.text(expression, at: "/data/pump[2]/tag/../../site") == expected)
    }

    @Test("a list that the form has not is an error with its place")
    func noList() throws {
        let error = try #require(
            try ExpressionWorld().failure("1 + count(instance('pumps')/root/item)"))
        #expect(error.code == .unknownInstance && error.character == 11)
        #expect(error.message.contains("pumps"))
    }

    @Test(
        "axes, wildcards and attributes",
        arguments: [
            ("count(//size)", "3"), ("count(/data/*)", "4"), ("count(/data/pump//size)", "3"),
            ("name(/data/pump/..)", "data"), ("count(/data/site/following-sibling::pump)", "3"),
            ("/data/pump[2]/preceding-sibling::pump/tag", "P-1"),
            ("count(//size/ancestor::pump)", "2"),
            ("count(/data/pump | /data/pump/tag | /data/pump)", "6"),
            ("string(/data/pump[2])", "P-28"),
            ("/data/pump[tag = 'P-2'][1]/part/size", "8"), ("(/data/pump/tag)[2]", "P-2"),
            ("count(/data/pump[part])", "2"), ("count(/data/pump/descendant::size)", "3"),
            ("/data/site/text()", "north"), ("/data/pump[1.5]", ""), ("/data/pump[0]", ""),
        ])
    func axes(expression: String, expected: String) throws {
        #expect(try ExpressionWorld(Self.site).text(expression) == expected)
    }

    @Test("a change of one answer makes a new tree and leaves the old one")
    func change() throws {
        var world = try ExpressionWorld(Self.site)
        let before = world.tree
        let site = try #require(try world.nodes("/data/site").first)
        world.tree = before.replacing(text: "south", at: site)
        #expect(try world.text("/data/site") == "south")
        world.tree = before
        #expect(try world.text("/data/site") == "north")
    }

    @Test("what is hidden is found by no path, with all that is in it, and keeps its place")
    func hidden() throws {
        var world = try ExpressionWorld(Self.site)
        let first = try #require(try world.nodes("/data/pump[1]").first)
        let tag = try #require(try world.nodes("/data/pump[2]/tag").first)
        world.tree = world.tree.hiding([first, tag])
        #expect(try world.text("count(/data/pump)") == "2")
        #expect(try world.text("sum(/data/pump/part/size)") == "8")
        #expect(try world.text("/data/pump[2]/tag = ''") == "true")
        #expect(try world.text("position(..)", at: "/data/pump[3]/tag") == "3")
        #expect(try world.text("indexed-repeat(/data/pump/tag, /data/pump, 1)") == "")
        #expect(try world.text("count(/data/pump[tag = 'P-2'])") == "0")
        world.tree = world.tree.hiding([])
        #expect(try world.text("count(/data/pump)") == "3")
    }

    @Test("the short way through a long list finds what the long way finds", arguments: 0..<20)
    func shortWay(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let words = ["", "a", "b", "1", "1.0"]
        let rows = (0..<40).map { _ in
            NodeContent(
                "item",
                children: (0..<random.below(4)).map { _ in
                    NodeContent(random.pick(["x", "y"]), text: random.pick(words))
                })
        }
        var world = try ExpressionWorld("<data><v>\(random.pick(words))</v></data>")
        world.surroundings.instances["l"] = NodeTree(root: NodeContent("root", children: rows))
        let word = random.pick(words)
        for test in ["x = /data/v", "x = '\(word)' and y = /data/v", "none = '\(word)'"] {
            let rows = "instance('l')/root/item"
            let short = try world.value("\(rows)[\(test)]")
            #expect(try world.value("\(rows)[(\(test)) and 1 = 1]") == short, "\(test)")
        }
    }

    @Test("a filter of a list of 50,000 rows is worked out within its steps")
    func longList() throws {
        let rows = (0..<50_000).map { row in
            NodeContent(
                "item",
                children: [
                    NodeContent("name", text: "v\(row)"),
                    NodeContent("region", text: "r\(row % 100)"),
                ])
        }
        var world = try ExpressionWorld("<data><region>r7</region><village/></data>")
        world.surroundings.instances["villages"] = NodeTree(
            root: NodeContent("root", children: rows))
        let filter =
            "count(instance('villages')/root/item[region = ../../x or region = /data/region])"
        #expect(try world.text(filter, at: "/data/village") == "500")
    }
}
