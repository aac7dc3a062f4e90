import Testing

@testable import FormImport

@Suite("A faulty XForm is refused with one line that names line and node")
struct XFormFaultsTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        var about: String
        var small: SmallForm
        var words: String
        var testDescription: String { about }

        init(_ about: String, _ words: String, _ change: (inout SmallForm) -> Void) {
            self.about = about
            self.words = words
            small = SmallForm()
            change(&small)
        }
    }

    static let faults: [Fault] = [
        Fault("bind to nothing", "bind /data/x: there is no node /data/x") {
            $0.model = #"<bind nodeset="/data/x"/>"#
        },
        Fault("bind without nodeset", "bind: a bind without nodeset") { $0.model = "<bind/>" },
        Fault("bind to an expression", "is not a path") {
            $0.model = #"<bind nodeset="count(/data)"/>"#
        },
        Fault("question to nothing", "input /data/x: there is no node /data/x") {
            $0.body = #"<input ref="/data/x"/>"#
        },
        Fault("question without ref", "input: a question without ref") { $0.body = "<input/>" },
        Fault("group to nothing", "group: there is no node /data/x") {
            $0.body = #"<group ref="/data/x"/>"#
        },
        Fault("repeat to nothing", "repeat /data/x: there is no node") {
            $0.body = #"<repeat nodeset="/data/x"/>"#
        },
        Fault("repeat without nodeset", "a repeat without nodeset") { $0.body = "<repeat/>" },
        Fault("value set in nothing", "setvalue: there is no node /data/x") {
            $0.model = #"<setvalue event="a" ref="/data/x"/>"#
        },
        Fault("value set at no event", "without event") {
            $0.model = #"<setvalue ref="/data/psi"/>"#
        },
        Fault("no such instance", "bind /data/psi: there is no instance towns") {
            $0.model = #"<bind nodeset="/data/psi" calculate="instance('towns')/root/a"/>"#
        },
        Fault("no such instance in a list", "there is no instance towns") {
            $0.body = """
                <select ref="/data/psi"><itemset nodeset="instance( 'towns' )/root/item">
                <value ref="name"/><label ref="label"/></itemset></select>
                """
        },
        Fault("instance twice", "the instance a is there twice") {
            $0.instances = #"<instance id="a"/><instance id="a"/>"#
        },
        Fault("two primary instances", "a second instance without id") {
            $0.instances = "<instance><other/></instance>"
        },
        Fault("no id", "data: the form has no id") { $0.attributes = "" },
        Fault("the same node twice", "/data/psi is there twice") { $0.record = "<psi/><psi/>" },
        Fault("nothing to choose from", "select1 /data/psi: there is nothing to choose from") {
            $0.body = #"<select1 ref="/data/psi"/>"#
        },
        Fault("choice without value", "a choice without value") {
            $0.body = #"<select ref="/data/psi"><item><label>A</label></item></select>"#
        },
        Fault("range without numbers", "range /data/psi: x is not a number") {
            $0.body = #"<range ref="/data/psi" start="x" end="2" step="1"/>"#
        },
        Fault("language twice", "the language en is there twice") {
            $0.itext = #"<itext><translation lang="en"/><translation lang="en"/></itext>"#
        },
        Fault("text twice", "the text a is there twice") {
            $0.itext = """
                <itext><translation lang="en"><text id="a"/><text id="a"/></translation></itext>
                """
        },
    ]

    @Test("each fault has its line and its words", arguments: faults)
    func refused(fault: Fault) {
        let words = refusal { _ = try fault.small.read() } ?? ""
        #expect(words.hasPrefix("line "), "\(words)")
        #expect(words.contains(fault.words), "\(words)")
        #expect(!words.contains("\n"))
    }

    @Test(
        "another document is not a form",
        arguments: ["<a/>", "<html/>", "<html><head><model/></head></html>"])
    func anotherDocument(text: String) {
        #expect(refusal { _ = try XFormReader.read(Array(text.utf8)) }?.hasPrefix("line 1") == true)
    }

    @Test("a warning is said once for each kind, and says whether something will not work")
    func warnings() throws {
        var small = SmallForm()
        small.model = """
            <bind nodeset="/data/psi" type="odd" walkdown:merg="x"/><bind nodeset="/data/psi"/>
            <odk:recordaudio event="odk-instance-load" ref="/data/psi"/>
            """
        small.body = """
            <input ref="/data/psi" appearance="sparkling w3 columns-2"/>
            <input ref="/data/psi" appearance="sparkling ex:org.example(a='b c')"/>
            <input ref="/data/psi" appearance="search('x', 'y')"><sound/></input>
            <button/>
            """
        let warnings = try small.read().warnings
        #expect(
            warnings.filter(\.isUnsupported).map(\.text) == [
                "unsupported attribute walkdown:merg", "unsupported recordaudio in the model",
                "unsupported appearance search(…)", "unsupported sound in a question",
                "unsupported button in the body",
            ])
        #expect(
            warnings.filter { !$0.isUnsupported }.map(\.text) == [
                "the type odd is not known and read as text",
                "the appearance sparkling is not known and makes no difference",
                "another application (ex:) is not started; the answer is typed",
                "/data/psi has two binds; both apply",
            ])
        #expect(warnings.allSatisfy { $0.description.hasPrefix("line ") })
    }
}
