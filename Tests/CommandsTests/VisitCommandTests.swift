import Coding
import LocalStore
import Replication
import Testing

@Suite("What the last visit found, in commands")
struct VisitCommandTests {
    private let bench: StoreBench

    init() throws {
        bench = try StoreBench()
        let first = StoreBench.assigned.rawValue
        #expect(
            try bench.run("set", first, "pressure=152", "seals=WORN", "notes=hums").status == 0)
        #expect(try bench.run("complete", first).status == 0)
    }

    private func second() throws -> String {
        try bench.document("new", "cold_chain", "--asset", "F-17").string("id")
    }

    @Test("F58 show has the last visit's value and day beside each reading, answered or not")
    func show() throws {
        let id = try second()
        let before = try bench.document("show", id)
        #expect(
            try before.object("previousVisit").string("inspection")
                == StoreBench.assigned.rawValue)
        let open = try before.object("fields").object("pressure")
        #expect(try open.optionalDouble("value") == nil && open.optionalString("sync") == nil)
        let found = try open.object("previous")
        #expect(try found.double("value") == 152)
        #expect(try found.string("date") == "2026-03-02")
        #expect(try found.string("inspection") == StoreBench.assigned.rawValue)
        #expect(try found.optionalDouble("change") == nil)
        #expect(try bench.run("show", id).output.contains("152 on 2026-03-02"))

        #expect(try bench.run("set", id, "pressure=160.5", "seals=GOOD").status == 0)
        let fields = try bench.document("show", id).object("fields")
        #expect(try fields.object("pressure").object("previous").double("change") == 8.5)
        #expect(try fields.object("seals").object("previous").string("value") == "WORN")
        #expect(try bench.run("show", id).output.contains("152 on 2026-03-02, +8.5"))
        #expect(try bench.document("status").integer("pending") == 3, "nothing is copied by itself")
    }

    @Test("fill says what the last visit found; = takes it over")
    func fill() throws {
        let id = try second()
        let outcome = try bench.bench.run(
            ["fill", id], typing: ["=", "", "=", "=", "q", ""].joined(separator: "\n"))
        #expect(outcome.output.contains("  last visit: 152 psi on 2026-03-02\n"))
        #expect(outcome.output.contains("  last visit: Worn on 2026-03-02\n"))
        #expect(outcome.output.contains("The last visit has no answer to this"))
        let fields = try bench.document("show", id).object("fields")
        #expect(try fields.object("pressure").double("value") == 152)
        #expect(try fields.object("notes").string("value") == "hums")
        #expect(
            try fields.optionalObject("seals") == nil, "an empty line keeps what stands: nothing")
    }

    @Test("the first visit to a piece of equipment has none before it")
    func first() throws {
        let shown = try bench.document("show", StoreBench.assigned.rawValue)
        #expect(try shown.optionalObject("previousVisit") == nil)
        #expect(try shown.object("fields").object("pressure").optionalObject("previous") == nil)
    }
}
