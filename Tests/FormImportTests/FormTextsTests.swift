import Testing

@testable import FormImport

@Suite("A text falls back to the default language, then to its key, and is never blank")
struct FormTextsTests {
    static let small: SmallForm = {
        var small = SmallForm()
        small.itext = """
            <itext><translation lang="fr"><text id="a"><value>Pression</value>
            <value form="guidance">Voir <output value="/data/kind"/></value></text>
            <text id="b"><value> </value></text></translation>
            <translation lang="en" default="true()"><text id="a"><value form="image">\
            jr://images/a.png</value><value>Pressure</value></text>
            <text id="b"><value>Kind</value></text><text id="c"><value form="short">Sh</value>
            </text></translation></itext>
            """
        small.body = #"<input ref="/data/psi"><label ref="jr:itext('a')"/></input>"#
        return small
    }()

    @Test(
        "each language shows what it has",
        arguments: [
            ("a", "fr", "Pression"), ("a", "en", "Pressure"), ("a", "de", "Pressure"),
            ("b", "fr", "Kind"), ("c", "fr", "Sh"), ("d", "fr", "d"),
        ])
    func fallBack(key: String, language: String, shown: String) throws {
        #expect(try Self.small.form().texts.text(of: key, in: language) == [.plain(shown)])
    }

    @Test("languages keep their order, and the default is the one that says so")
    func languages() throws {
        let texts = try Self.small.form().texts
        #expect(texts.languages == ["fr", "en"])
        #expect(texts.defaultLanguage == "en")
    }

    @Test("pictures and guidance go with the text")
    func companions() throws {
        let texts = try Self.small.form().texts
        #expect(texts.companion("image", of: "a", in: "fr") == [.plain("jr://images/a.png")])
        #expect(
            texts.companion("guidance", of: "a", in: "fr")?.outputs.map(\.text) == ["/data/kind"])
    }

    @Test("a key without text is a warning, not a refusal")
    func missing() throws {
        var small = Self.small
        small.body = """
            <input ref="/data/psi"><label ref="jr:itext('x')"/></input>
            <input ref="/data/psi"><label ref="jr:itext('y')"/></input>
            """
        let read = try small.read()
        #expect(read.warnings.map(\.text) == ["there is no text x; its key is shown"])
        #expect(read.form.texts.text(of: .key("x"), in: "en") == [.plain("x")])
    }
}
