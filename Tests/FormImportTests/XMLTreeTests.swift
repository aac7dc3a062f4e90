import Testing

@testable import FormImport

@Suite("XML is read as names, attributes, text and lines, and nothing is fetched or expanded")
struct XMLTreeTests {
    @Test("names, namespaces, attributes, text and lines")
    func tree() throws {
        let root = try XMLTree.read(
            Array(
                """
                <a xmlns="urn:x" xmlns:p="urn:p">
                <b p:c="1 &amp; 2" d=''>x<![CDATA[<y>]]>&#233;</b>
                <!-- not text --><p:b/></a>
                """.utf8))
        #expect(root.name == XMLName("a", in: "urn:x"))
        let first = try #require(root.first("b"))
        #expect(first.line == 2)
        #expect(first[XMLName("c", in: "urn:p")] == "1 & 2")
        #expect(first["d"]?.isEmpty == true)
        #expect(first.text == "x<y>é")
        #expect(
            root.children.map(\.name) == [XMLName("b", in: "urn:x"), XMLName("b", in: "urn:p")])
    }

    // Not in the attribute itself: Swift 6.0.3 crashes on a closure among a test's arguments.
    static let encodings: [[UInt8]] = [
        [0xEF, 0xBB, 0xBF] + Array("<a>é</a>".utf8),
        [0xFF, 0xFE] + "<a>é</a>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
        Array(#"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#.utf8) + [0xE9]
            + Array("</a>".utf8),
    ]

    @Test("UTF-8 with mark, UTF-16 and Latin-1 are read alike", arguments: encodings)
    func encoding(bytes: [UInt8]) throws {
        #expect(try XMLTree.read(bytes).text == "é")
    }

    @Test(
        "what is not well-formed is refused with its line",
        arguments: [
            ("<a>\n<b></a>", "line 2"), ("<a>\n\n&nbsp;</a>", "line 3"), ("", "line 1"),
            ("<a>\n<b c='1' c='2'/></a>", "line 2"), ("<a>", "line 1"), ("text", "line 1"),
            ("<a/><b/>", "line 1"), ("<a>\u{1}</a>", "line 1"),
            ("<a>\n<p:b/></a>", "line 2, b: the prefix p: is not declared"),
            ("<a>\n<b p:c=''/></a>", "line 2, b: the prefix p: is not declared"),
        ])
    func malformed(text: String, place: String) {
        let words = refusal { _ = try XMLTree.read(Array(text.utf8)) } ?? ""
        #expect(words.hasPrefix(place))
    }

    @Test(
        "a document type is refused, whatever is in it",
        arguments: [
            #"<!DOCTYPE a><a/>"#,
            #"<!DOCTYPE a SYSTEM "http://example.org/a.dtd"><a/>"#,
            #"<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>"#,
            #"<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;]><a/>"#,
            #"<!DOCTYPE a [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;"><!ENTITY n "&m;&m;">]><a>&n;</a>"#,
        ])
    func documentType(text: String) {
        let words = refusal { _ = try XMLTree.read(Array(text.utf8)) } ?? ""
        #expect(words.contains("document type"), "\(words)")
    }

    @Test("a million levels are refused early, for their depth")
    func depth() {
        let deep = [UInt8](repeating: 0, count: 1_000_000).flatMap { _ in Array("<a>".utf8) }
        let words = refusal { _ = try XMLTree.read(deep) } ?? ""
        #expect(words.contains("nested more than 200 deep"), "\(words)")
    }

    @Test("size, nodes, attributes and their length are bounded")
    func limits() {
        let limits = XMLLimits(
            bytes: 2_000, depth: 5, nodes: 20, attributesOfElement: 3, attributeBytes: 10)
        func words(_ text: String) -> String {
            refusal { _ = try XMLTree.read(Array(text.utf8), limits: limits) } ?? ""
        }
        #expect(words("<a>" + String(repeating: "x", count: 3_000) + "</a>").contains("2000 bytes"))
        #expect(words("<a>" + String(repeating: "<b/>", count: 30) + "</a>").contains("20 nodes"))
        #expect(words("<a b='' c='' d='' e=''/>").contains("3 attributes"))
        #expect(words("<a b='01234567890'/>").contains("10 bytes"))
        #expect(words("<a><a><a><a><a><a/></a></a></a></a></a>").contains("5 deep"))
        #expect(words("<a><b c='1'/>text</a>").isEmpty)
    }

    @Test("an odd address of a namespace is no reason to stop half-way")
    func oddNamespace() throws {
        let text =
            "<a xmlns:p='not an address %%' xmlns:q='q'>"
            + String(repeating: "<b/>", count: 10_000) + "</a>"
        #expect(try XMLTree.read(Array(text.utf8)).children.count == 10_000)
    }

    @Test("a long text is read in time that grows with its length only")
    func longText() throws {
        let text = String(repeating: "0123456789&amp;", count: 400_000)
        #expect(try XMLTree.read(Array("<a>\(text)</a>".utf8)).text.utf8.count == 4_400_000)
    }

    @Test("control characters of a file do not reach the message")
    func messages() {
        let error = FormImportError(.line(3, node: "a\u{1B}[31m\nb"), "bad \u{202E}name\n")
        #expect(error.description == "line 3, a [31m b: bad  name ")
    }
}
