import Forms

/// The documents that rows of the oracle are about, by their lines in the file, written after the
/// specifications that the rows come from.
enum OracleDocuments {
    struct Document {
        let lines: [ClosedRange<Int>]
        let xml: String
        /// Whether the expression is evaluated at the outermost element, not at the document.
        var isAtRoot = false
    }

    static func document(ofLine line: Int) -> Document? {
        all.first { $0.lines.contains { $0.contains(line) } }
    }

    /// Secondary instances of `instance.test.ts`.
    static let instances = [
        "secondary-1": """
        <root><item><thing-1>1.1</thing-1><thing-2>1.2</thing-2></item>\
        <item><thing-1>2.1</thing-1><thing-2>2.2</thing-2></item></root>
        """,
        "secondary-b": """
        <root><item><thing-a>1.a</thing-a><thing-b>1.b</thing-b></item>\
        <item><thing-a>2.a</thing-a><thing-b>2.b</thing-b></item></root>
        """,
    ]

    private static func simple(_ value: String, _ lines: ClosedRange<Int>...) -> Document {
        Document(
            lines: lines,
            xml: "<simple><xpath><to><node>\(value)</node></to></xpath></simple>")
    }

    private static func items(_ values: [String], _ lines: ClosedRange<Int>...) -> Document {
        let items = values.map { "<item>\($0)</item>" }.joined()
        return Document(lines: lines, xml: "<root>\(items)</root>")
    }

    private static let all: [Document] =
        nodeSets + numbers + predicates + [
            items(["1", "2", "3", "4"], 169...169),
            items(["3", "17", "-32", "cheese"], 175...175, 867...867),
            items(["-3", "-17", "-32"], 176...176, 183...183),
            items(["3", "-17", "32"], 182...182),
            items(["-10", "11", "99"], 236...236),
            simple("one two three", 220...223),
            simple("1", 284...289),
            simple("first", 645...645),
            simple("second", 646...646),
            simple("", 647...649, 860...860),
            simple("port", 762...762),
            simple("2026-11-30", 763...768),
            simple("3", 861...861, 866...866),
            simple("4", 910...911),
            simple("val", 931...931),
            simple("0123", 932...932),
            Document(lines: [276...283], xml: "<root><a>3</a><b/><c><d>4</d></c></root>"),
            Document(
                lines: [290...291], xml: "<thedata><nodeA/><nodeB>b</nodeB></thedata>"),
            Document(lines: [815...815], xml: "<data><a>06:00:00.000-07:00</a></data>"),
            Document(
                lines: [840...843], xml: "<data><a/><b/><c/><d>0</d></data>"),
            Document(
                lines: [845...852],
                xml: """
                    <root><one-dot-one>1.1</one-dot-one><two-dot-one>2.1</two-dot-one>\
                    <two-dot-two>2.2</two-dot-two><one-dot-a>1.a</one-dot-a>\
                    <two-dot-a>2.a</two-dot-a><two-dot-b>2.b</two-dot-b></root>
                    """),
            Document(
                lines: [872...874],
                xml: "<countries><country>Norway</country></countries>"),
        ]

    private static let nodeSets: [Document] = [
        Document(
            lines: [13...14],
            xml: "<xhtml:html><xhtml:body>text</xhtml:body></xhtml:html>"),
        Document(
            lines: [115...118],
            xml: """
                <xhtml:body><xhtml:div id="FunctionCountNonEmpty"><xhtml:div>-5</xhtml:div>\
                <xhtml:div>-15</xhtml:div><xhtml:div/><xhtml:p><xhtml:div/><xhtml:div/>\
                <xhtml:span>  </xhtml:span><xhtml:span> </xhtml:span></xhtml:p><xhtml:p/>\
                </xhtml:div></xhtml:body>
                """),
        Document(
            lines: [385...391],
            xml: """
                <xhtml:div><xhtml:p>1</xhtml:p><xhtml:p>2</xhtml:p><xhtml:p>3</xhtml:p>\
                <xhtml:p>4</xhtml:p></xhtml:div>
                """,
            isAtRoot: true),
        Document(
            lines: [400...405],
            xml: """
                <model><instance><data jr:complete="1" complete="0"><a/></data></instance></model>
                """),
    ]

    private static let numbers: [Document] = [
        Document(lines: [292...292], xml: "<data><number>4</number></data>"),
        Document(lines: [365...379], xml: "<data><a>1</a><b>2</b></data>"),
        Document(
            lines: [462...470], xml: "<data><p>1</p><p>2</p><p>3</p><p>4</p></data>"),
        Document(
            lines: [933...994],
            xml: """
                <numbers><minusone>-1</minusone><minuspointfive>-0.5</minuspointfive>\
                <zero>0</zero><pointfive>0.5</pointfive><one>1</one><two>2</two><six>6</six>\
                <ninetynine>99</ninetynine><nan>NaN</nan></numbers>
                """),
    ]

    private static let predicates: [Document] = [
        Document(lines: [271...271], xml: "<data><a>a</a><a>b</a><a>c</a></data>"),
        Document(
            lines: [272...272, 275...275],
            xml: """
                <model><instance><form><group1><country/><city/></group1></form></instance>\
                <instance id="cities"><root>\
                <item><country>nl</country><name>ams</name></item>\
                <item><country>usa</country><name>den</name></item>\
                </root></instance></model>
                """),
        Document(
            lines: [273...273],
            xml: """
                <data><item><number>2</number><name><first>1</first><last>bb</last></name>\
                <result>incorrect</result></item>\
                <item><number>3</number><name><first>1</first><last>b</last></name>\
                <result>correct</result></item></data>
                """),
        Document(
            lines: [497...501], xml: "<data><a id=\"1\">aa</a><b id=\"2\">bb</b></data>"),
        Document(
            lines: [502...504],
            xml: """
                <data><item><a><number OpenClinica:this="seven">siete</number></a></item>\
                <item><a><number OpenClinica:this="three">tres</number>\
                <number OpenClinica:this="four"/></a></item></data>
                """),
        Document(
            lines: [505...508],
            xml: """
                <data><item><number>ninguno</number><name>decoy</name></item>\
                <item><number this="seven">siete</number><name><last>aa</last></name></item>\
                <item><number this="three">tres</number><number this="four">cuatro</number>\
                <name><last>bb</last></name></item></data>
                """),
        Document(
            lines: [509...519, 913...916],
            xml: """
                <data><item><number>4</number></item><item><number>6</number></item><b/><b/></data>
                """),
    ]
}
