import TestSupport
import Testing

@testable import FormImport

@Suite("Hostile and damaged forms do no harm")
struct HostileFormsTests {
    static let whole: [UInt8] = {
        var small = SmallForm()
        small.itext = FormTextsTests.small.itext
        small.instances = #"<instance id="k"><root><item><name>a</name></item></root></instance>"#
        small.model = """
            <bind nodeset="/data/psi" type="int" relevant="instance('k')/root/item[name='a']"/>
            <setvalue event="odk-instance-first-load" ref="/data/psi" value="1"/>
            """
        small.body = """
            <group appearance="field-list"><repeat nodeset="/data/lines" jr:count="3">
            <select ref="/data/lines/length"><label ref="jr:itext('a')"/>
            <itemset nodeset="randomize(instance('k')/root/item[name != ''], 3)">
            <value ref="name"/><label ref="jr:itext(name)"/></itemset></select></repeat></group>
            """
        return small.bytes
    }()

    @Test(
        "five thousand damaged copies are read or refused, each in less than a second",
        arguments: 0..<10)
    func mutations(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<500 {
            let bytes = Damage.of(Self.whole, &random)
            let time = ThreadTime.measure { _ = refusal { _ = try XFormReader.read(bytes) } }
            #expect(time < .seconds(1), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    @Test(
        "an expression or path made of one character a hundred thousand times is no burden",
        arguments: [
            "[", "]", "(", ")", "'", "/", ".", "{", "instance(", "randomize(", "current()/",
        ])
    func longExpressions(piece: String) {
        let text = String(repeating: piece, count: 60_000 / piece.count)
            .replacing("'", with: "&apos;")
        var small = SmallForm()
        small.model = "<bind nodeset=\"/data/psi\" calculate=\"\(text)\"/>"
        small.body = """
            <select ref="/data/psi" appearance="\(text)"><itemset nodeset="\(text)">
            <value ref="a"/><label ref="\(text)"/></itemset></select>
            """
        let bytes = small.bytes
        let time = ThreadTime.measure { _ = refusal { _ = try XFormReader.read(bytes) } }
        #expect(time < .seconds(1))
    }

    @Test("fifty thousand questions are read")
    func size() {
        var small = SmallForm()
        let names = (0..<50_000).map { "q\($0)" }
        small.record = names.map { "<\($0)/>" }.joined()
        small.body = names.map { "<input ref=\"/data/\($0)\"/>" }.joined()
        small.model = names.map { "<bind nodeset=\"/data/\($0)\" type=\"int\"/>" }.joined()
        let bytes = small.bytes
        #expect(refusal { _ = try XFormReader.read(bytes) } == nil)
    }
}

/// Seeded damage: bytes changed, pieces cut out, doubled or moved.
enum Damage {
    static func of(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) {
            guard bytes.count > 40 else { return bytes }
            let at = random.below(bytes.count - 20)
            let piece = bytes[at..<(at + 1 + random.below(19))]
            switch random.below(6) {
            case 0: bytes[at] = UInt8(random.below(256))
            case 1: bytes.removeSubrange(piece.indices)
            case 2: bytes.insert(contentsOf: piece, at: random.below(bytes.count))
            case 3: bytes.removeLast(random.below(bytes.count / 2))
            case 4: bytes[at] = bytes[at] ^ (1 << UInt8(random.below(8)))
            default: bytes.insert(contentsOf: Array("<>&'\"/[]".utf8), at: at)
            }
        }
        return bytes
    }
}
