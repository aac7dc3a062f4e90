import TestSupport
import Testing

@testable import Forms

@Suite("What an expression looks at")
struct DependencyTests {
    @Test(
        "paths, relative ones from where the expression stands",
        arguments: [
            ("/data/a + ../b", ["/data/a", "/data/pump/b"]), (". > 3", ["/data/pump/tag"]),
            ("sum(/data/pump/size)", ["/data/pump/size"]), ("position(..)", []),
            ("current()/../x", ["/data/pump/x"]),
            (
                "count(/data/pump[tag = ../a])",
                ["/data/pump", "/data/pump/tag", "/data/a"]
            ),
            (
                "instance('p')/root/item[site = /data/site and size > current()/../b]/name",
                ["/data/site", "/data/pump/b", "/data/pump/tag"]
            ),
            (
                "indexed-repeat(/data/pump/tag, /data/pump, /data/n)",
                ["/data/pump/tag", "/data/pump", "/data/n"]
            ),
            ("pulldata('p', 'a', 'b', ../key)", ["/data/pump/key"]), ("1 + 1", []),
        ])
    func paths(source: String, expected: [String]) throws {
        let found = try FormExpression(source).dependencies(at: "/data/pump/tag")
        let own: Set = ["/data/pump/tag"]
        #expect(found.paths.subtracting(own) == Set(expected).subtracting(own))
        #expect(!found.isUnbounded)
    }

    @Test("lists, the clock, and what cannot be told beforehand")
    func others() throws {
        let list = try FormExpression("instance('a')/root/item[x = 1] | pulldata('b', 'c', 'd', 1)")
            .dependencies(at: "/data/q")
        #expect(list.instances == ["a", "b"] && !list.isVolatile)
        #expect(try FormExpression("today() - 1").dependencies(at: "/data/q").isVolatile)
        #expect(try FormExpression("count(//a)").dependencies(at: "/data/q").isUnbounded)
        #expect(try FormExpression("/data/*").dependencies(at: "/data/q").isUnbounded)
    }

    private static func graph(
        _ calculations: [String: String]
    ) throws -> Result<DependencyGraph, DependencyGraph.Cycle> {
        var found: [String: ExpressionDependencies] = [:]
        for (path, source) in calculations {
            found[path] = try FormExpression(source).dependencies(at: path)
        }
        do throws(DependencyGraph.Cycle) {
            return .success(try DependencyGraph(found))
        } catch {
            return .failure(error)
        }
    }

    @Test("a change reaches what looks at it, in order, and nothing else")
    func affected() throws {
        let graph = try Self.graph([
            "/data/b": "/data/a + 1", "/data/c": "/data/b * /data/x", "/data/d": "/data/y",
            "/data/total": "sum(/data/pump/size)", "/data/pump/size": "../width * 2",
            "/data/label": "concat(/data/total, /data/c)", "/data/n": "count(/data/pump)",
        ]).get()
        #expect(graph.affected(by: ["/data/a"]) == ["/data/b", "/data/c", "/data/label"])
        #expect(graph.affected(by: ["/data/y"]) == ["/data/d"])
        #expect(graph.affected(by: ["/data/none"]) == [])
        let width = graph.affected(by: ["/data/pump/width"])
        #expect(Set(width) == ["/data/pump/size", "/data/total", "/data/label", "/data/n"])
        #expect(
            width.firstIndex(of: "/data/pump/size") ?? 9 < width.firstIndex(of: "/data/total") ?? 0)
        #expect(graph.order.count == 7)
    }

    @Test("what looks at the whole document is worked out after every change")
    func unbounded() throws {
        let graph = try Self.graph(["/data/n": "count(//size)", "/data/m": "/data/n + 1"]).get()
        #expect(graph.affected(by: ["/data/any"]) == ["/data/n", "/data/m"])
    }

    @Test("a circle is refused and names its nodes")
    func circle() throws {
        let result = try Self.graph([
            "/data/a": "/data/b", "/data/b": "/data/c + 1", "/data/c": "/data/a",
            "/data/d": "/data/a",
        ])
        guard case .failure(let cycle) = result else {
            Issue.record("the circle was not seen")
            return
        }
        #expect(Set(cycle.paths) == ["/data/a", "/data/b", "/data/c"])
        #expect(cycle.description.contains("/data/a → /data/b → /data/c → /data/a"))
    }

    @Test("a constraint that looks at its own answer is no circle; a group that holds it is one")
    func own() throws {
        let own = try Self.graph(["/data/a": ". > 3"])
        #expect(throws: Never.self) { try own.get() }
        let around = try Self.graph(["/data/g": "/data/g/a = 1", "/data/g/a": "/data/g/b"])
        #expect(throws: Never.self) { try around.get() }
    }

    @Test("what inherits a group's relevance follows the group, not its other answers")
    func inherited() throws {
        var found: [String: ExpressionDependencies] = [:]
        for (path, source) in ["/data/g": "/data/a", "/data/g/b": "1", "/data/g/c": "../b"] {
            var dependencies = try FormExpression(source).dependencies(at: path)
            if path != "/data/g" { dependencies.groups = ["/data/g"] }
            found[path] = dependencies
        }
        let graph = try DependencyGraph(found)
        #expect(graph.order == ["/data/g", "/data/g/b", "/data/g/c"])
        #expect(graph.affected(by: ["/data/a"]) == ["/data/g", "/data/g/b", "/data/g/c"])
        #expect(graph.affected(by: ["/data/g/b"]) == ["/data/g/c"])
        found["/data/g"] = try FormExpression("/data/g/b = 1").dependencies(at: "/data/g")
        let looped = found
        #expect(throws: DependencyGraph.Cycle.self) { try DependencyGraph(looped) }
    }

    @Test("a chain of 20,000 calculations is put in order without recursion")
    func longChain() throws {
        var found: [String: ExpressionDependencies] = [:]
        for index in 0..<20_000 {
            var dependencies = ExpressionDependencies()
            dependencies.paths = ["/data/q\(index + 1)"]
            found["/data/q\(index)"] = dependencies
        }
        let graph = try DependencyGraph(found)
        #expect(graph.order.first == "/data/q19999" && graph.order.last == "/data/q0")
        #expect(graph.affected(by: ["/data/q20000"]).count == 20_000)
    }

    @Test("in a random graph each node comes after all that it looks at", arguments: 0..<50)
    func random(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let names = (0..<40).map { "/data/q\($0)" }
        var found: [String: ExpressionDependencies] = [:]
        for (index, name) in names.enumerated() {
            var dependencies = ExpressionDependencies()
            for _ in 0..<random.below(4) where index > 0 {
                dependencies.paths.insert(names[random.below(index)])
            }
            found[name] = dependencies
        }
        let graph = try DependencyGraph(found)
        for (place, name) in graph.order.enumerated() {
            for source in found[name]?.paths ?? [] {
                #expect(graph.order.firstIndex(of: source) ?? 99 < place)
            }
        }
        let changed = random.pick(names)
        let affected = Set(graph.affected(by: [changed]))
        for name in names where name != changed {
            let looksAtIt = found[name]?.paths.contains { $0 == changed || affected.contains($0) }
            #expect(affected.contains(name) == looksAtIt)
        }
    }
}
