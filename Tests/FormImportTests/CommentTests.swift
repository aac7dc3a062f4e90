import Coding
import Forms
import Testing

@testable import FormImport

@Suite("Texts that a form has ready")
struct CommentTests {
    private static let list = """
        <instance id="found"><root>
        <item><name>torn</name><label>Torn</label></item>
        <item><name>gap</name><label>Gap over 2 mm</label></item>
        </root></instance>
        """

    private static let body = """
        <input ref="/data/psi"><label>Notes</label></input>
        <select1 ref="/data/kind"><item><label>In</label><value>IN</value></item>
        <item><label>Out</label><value>OUT</value></item></select1>
        """

    @Test("an attribute names a list of the form, for verdicts and texts; questions share it")
    func xform() throws {
        var small = SmallForm()
        small.instances = Self.list
        small.model = """
            <bind nodeset="/data/psi" type="string" walkdown:comments="found"/>
            <bind nodeset="/data/kind" type="select1" walkdown:comments="found"
             walkdown:verdict="pass=IN fail=OUT" walkdown:findingOnFail="true"/>
            """
        small.body = Self.body
        let compiled = try FormCompiler.compile(small.read(), files: [:])
        #expect(compiled.warnings.isEmpty)
        let form = compiled.definition
        let notes = try #require(form.question(named: "psi"))
        let kind = try #require(form.question(named: "kind"))
        #expect(notes.comments.choices.map(\.label) == ["Torn", "Gap over 2 mm"])
        #expect(notes.comments === kind.comments)
        #expect(kind.choices.map(\.name) == ["IN", "OUT"], "they are no choices")
        // No expression looks at it, so it does not travel a second time.
        #expect(form.parts.lists.isEmpty)
        let again = try FormDefinition(json: JSON.parse(form.json.serialized()))
        #expect(again == form)
    }

    @Test("a list that is not there is an error with its line")
    func unknown() {
        var small = SmallForm()
        small.instances = Self.list
        small.model = """
            <bind nodeset="/data/psi" type="string" walkdown:comments="fond"/>
            """
        small.body = Self.body
        let told = refusal { _ = try FormCompiler.compile(small.read(), files: [:]) }
        #expect(told?.contains("walkdown:comments names fond") == true, "\(told ?? "")")
        #expect(told?.contains("line ") == true, "\(told ?? "")")
    }

    @Test("in a workbook a column names a list of the sheet choices, in each language")
    func workbook() throws {
        let book = SmallWorkbook.form(
            [
                ["type", "name", "label", "walkdown::comments", "walkdown::findingOnFail"],
                ["select_one checks", "seal", "Seal", "found", "true"],
                ["text", "notes", "Notes", "found", ""],
            ],
            choices: [
                ["list_name", "name", "label", "walkdown::verdict"],
                ["checks", "in", "In", "pass"], ["checks", "out", "Out", "fail"],
                ["found", "torn", "Torn", ""], ["found", "gap", "Gap", ""],
            ])
        let compiled = try FormCompiler.compile(
            FormFile.read(book.bytes, name: "small.xlsx"), files: [:])
        let form = compiled.definition
        for name in ["seal", "notes"] {
            #expect(
                form.question(named: name)?.comments.choices.map(\.label) == ["Torn", "Gap"])
        }
        let wrong = SmallWorkbook.form(
            [
                ["type", "name", "label", "walkdown::comments"], ["text", "notes", "Notes", "no"],
            ])
        let told = refusal {
            _ = try FormCompiler.compile(
                FormFile.read(wrong.bytes, name: "small.xlsx"), files: [:])
        }
        #expect(told?.contains("row 2") == true, "\(told ?? "")")
    }
}
