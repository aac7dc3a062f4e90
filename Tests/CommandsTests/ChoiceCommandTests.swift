import Coding
import Forms
import LocalStore
import Testing

/// People in rows, of whom others are chosen; and towns that depend on a region.
private struct TeamBench {
    let bench: StoreBench
    let id: String

    private static let form = """
        {"format": 2, "id": "team", "version": "1", "title": "Team", "sections": [
          {"name": "main", "title": "Main", "questions": [
            {"begin": "repeat", "path": "person", "title": "Person"},
            {"path": "person/name", "label": "Name", "type": "text"},
            {"end": "repeat"},
            {"path": "lead", "label": "Lead", "type": "choice",
             "filter": "/data/person[./name != '']", "filterValue": "name",
             "filterLabel": "name"},
            {"path": "crew", "label": "Crew", "type": "choices",
             "filter": "/data/person[./name != '']", "filterValue": "name",
             "filterLabel": "name"},
            {"path": "region", "label": "Region", "type": "choice", "choices": [
              {"name": "north", "label": "North"}, {"name": "south", "label": "South"},
              {"name": "sea", "label": "Sea"}]},
            {"path": "town", "label": "Town", "type": "choice", "choices": [
              {"name": "york", "label": "York"}, {"name": "newport_n", "label": "Newport"},
              {"name": "newport_s", "label": "Newport"}],
             "filter": "instance('towns')/root/item[region = /data/region]",
             "filterValue": "name"},
            {"path": "urgency", "label": "Order", "type": "ranking", "choices": [
              {"name": "roof", "label": "Roof"}, {"name": "door", "label": "Door"},
              {"name": "lamp", "label": "Lamp"}]}]}],
         "instances": {"towns": {"root": "root", "row": "item", "columns": ["name", "region"],
          "rows": [["york", "north"], ["newport_n", "north"], ["newport_s", "south"]]}}}
        """

    init() throws {
        bench = try StoreBench()
        try bench.withStore { store in
            try store.store(form: FormDefinition(json: JSON.parse(Array(Self.form.utf8))))
        }
        id = try bench.document("new", "team").string("id")
    }

    func set(_ words: String...) throws -> Outcome { try bench.bench.run(["set", id] + words) }

    func value(_ question: String) throws -> JSON {
        try bench.document("show", id).object("fields").member(question)?.member("value") ?? .null
    }
}

@Suite("Choices that depend on other answers")
struct ChoiceCommandTests {
    private let team: TeamBench

    init() throws { team = try TeamBench() }

    @Test("an order names every choice once")
    func order() throws {
        let partial = try team.set("urgency=door roof")
        #expect(partial.status == 3)
        #expect(partial.messages.contains("urgency: has to name every choice"))
        #expect(try team.value("urgency") == .null)
        #expect(try team.set("urgency=door,roof,lamp").status == 0)
        #expect(try team.value("urgency") == "door roof lamp")
        #expect(try team.set("urgency=").status == 0)
    }

    @Test("what is chosen among the rows of a repeat is set by its name, in any spelling")
    func rows() throws {
        #expect(try team.set("person[+]/name=Ann").status == 0)
        #expect(try team.set("person[+]/name=Bo Lee").status == 0)
        let outcome = try team.set("lead=bo lee", "crew=bo_lee,ann")
        #expect(outcome.status == 0, "\(outcome.messages)")
        #expect(try team.value("lead") == "Bo Lee")
        // Where several are chosen, blanks part them; they stand in the order of the rows.
        #expect(try team.value("crew") == "Ann Bo_Lee")
        #expect(try team.set("lead=Cy").messages.contains("not one of the choices: Ann, Bo Lee"))
        #expect(try team.value("lead") == "Bo Lee")
    }

    @Test("a row and the choice of it are given in the same breath")
    func together() throws {
        #expect(try team.set("person[+]/name=Dee", "lead=Dee", "crew=Dee").status == 0)
        #expect(try team.value("lead") == "Dee")
        #expect(try team.value("crew") == "Dee")
    }

    @Test("filling line by line takes a row by its number and by its name")
    func filling() throws {
        let lines = ["y", "Ann", "y", "Bo Lee", "n", "2", "1 2", "q"]
        let outcome = try team.bench.bench.run(
            ["fill", team.id], typing: lines.map { $0 + "\n" }.joined())
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.messages)")
        #expect(try team.value("lead") == "Bo Lee")
        #expect(try team.value("crew") == "Ann Bo_Lee")
        let again = try team.bench.bench.run(
            ["fill", team.id], typing: "\n\n\nAnn\nq\n")
        #expect(again.status == 0, "\(again.output)\(again.messages)")
        #expect(try team.value("lead") == "Ann")
    }

    @Test("what is typed is sought first among what is offered, and a refusal lists that alone")
    func cascade() throws {
        #expect(try team.set("region=south", "town=newport").status == 3)
        #expect(try team.set("region=south", "town=newport_s").status == 0)
        #expect(try team.set("town=newport").status == 0)
        #expect(try team.value("town") == "newport_s")
        let refused = try team.set("town=york").messages
        #expect(refused.contains("choices: newport_s") && !refused.contains("newport_n"))
        #expect(try team.set("region=sea").status == 0)
        let none = try team.set("town=york").messages
        #expect(none.contains("not one of the choices: there is none"), "\(none)")
    }
}
