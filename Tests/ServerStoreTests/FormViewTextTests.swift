import Forms
import SQLite
import TestSupport
import Testing

@testable import ServerStore

@Suite("The text of views, for each database")
struct FormViewTextTests {
    /// Two versions: the second asks for a number where the first took words, has a question less and
    /// one more, and lets seals stand in pumps.
    private static var form: FormVersions {
        get throws {
            var first = FormParts(id: "Round", version: "1", title: "Round")
            first.sections = [
                Section(
                    name: "s", text: FormText("S"),
                    items: [
                        .question(question("psi", .integer)),
                        .question(question("size", .text(multiline: false))),
                        .question(question("old", .date)),
                        .repetition(
                            Repetition(
                                path: "seal", items: [.question(question("seal/psi", .decimal))])),
                    ])
            ]
            var second = first
            second.version = "2"
            let long = "a/" + String(repeating: "long_", count: 14)
            second.sections[0].items = [
                .question(question("size", .decimal)), .question(question("psi", .decimal)),
                .question(question(long + "1", .text(multiline: false))),
                .question(question(long + "2", .text(multiline: false))),
                .question(question("read_me", .note)),
                .repetition(
                    Repetition(
                        path: "pump",
                        items: [
                            .question(question("pump/psi", .decimal)),
                            .repetition(
                                Repetition(
                                    path: "pump/seal",
                                    items: [.question(question("pump/seal/state", .barcode))])),
                        ])),
            ]
            return FormVersions(
                id: first.id, versions: [try FormDefinition(first), try FormDefinition(second)])
        }
    }

    private static func question(_ path: String, _ type: QuestionType) -> Question {
        Question(path: path, label: path, type: type)
    }

    @Test(
        "is as it was looked through",
        arguments: [(SQLDialect.sqlite, "sqlite"), (.postgreSQL, "postgresql")])
    func text(dialect: SQLDialect, name: String) throws {
        let form = try Self.form
        let text = FormViewText(form: form, dialect: dialect)
        let names = SQLViewNames(forms: [form.id: form.repeats], others: [])
        var statements = [text.inspections(named: try #require(names.forms[form.id]))]
        for path in form.repeats {
            let key = SQLViewNames.Repeat(form: form.id, path: path)
            statements.append(text.rows(of: path, named: try #require(names.repeats[key])))
        }
        Golden(folder: "Golden").expect(
            statements.map { $0 + ";\n" }.joined(separator: "\n"), matches: "form_views.\(name).sql"
        )
    }

    @Test("A name that PostgreSQL would cut is cut so that no other has it")
    func longNames() {
        let long = String(repeating: "x", count: 70)
        let cut = String(repeating: "x", count: 61)
        #expect(
            SQLDialect.postgreSQL.shortened(
                [long + "a", "b", cut + "_1", long + "c"], besides: ["id"])
                == [cut + "_2", "b", cut + "_1", cut + "_3"])
        #expect(SQLDialect.sqlite.shortened([long], besides: []) == [long])
    }
}
