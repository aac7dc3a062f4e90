import Coding
import Replication
import TestSupport
import Testing

struct DigestTests {
    private func digest(_ id: RecordID, _ version: Int64, _ fields: [FieldName: FieldValue])
        -> RecordDigest
    {
        RecordDigest(id: id, version: version, fields: fields)
    }

    @Test("absent and null are the same; id, version, names and values are not")
    func record() {
        let one = digest("r", 1, ["a": .integer(1), "b": .null])
        #expect(one == digest("r", 1, ["a": .double(1)]))
        #expect(one != digest("r", 2, ["a": .integer(1)]))
        #expect(one != digest("s", 1, ["a": .integer(1)]))
        #expect(one != digest("r", 1, ["a": .string("1")]))
        #expect(one != digest("r", 1, ["b": .integer(1)]))
        #expect(one.bytes.count == 16)
    }

    @Test("a site's sum does not depend on the order, and a subtraction undoes an addition")
    func site() throws {
        var random = SeededRandom(seed: 16)
        let records = try (0..<50).map { _ in try RecordDigest(bytes: random.bytes(16)) }
        var forwards = SiteDigest()
        for record in records { forwards.add(record) }
        var backwards = SiteDigest()
        for record in records.reversed() { backwards.add(record) }
        #expect(forwards == backwards)
        for record in records.shuffled(using: &random) { forwards.subtract(record) }
        #expect(forwards == SiteDigest())
        #expect(try SiteDigest(hex: backwards.hex) == backwards)
        #expect(try SiteDigest(bytes: backwards.bytes) == backwards)
    }

    @Test("the sum carries and wraps at 2^128")
    func carries() throws {
        var sum = try SiteDigest(hex: String(repeating: "f", count: 32))
        sum.add(try RecordDigest(bytes: [UInt8](repeating: 0, count: 15) + [1]))
        #expect(sum == SiteDigest())
        sum.subtract(try RecordDigest(bytes: [UInt8](repeating: 0, count: 15) + [1]))
        #expect(sum.hex == String(repeating: "f", count: 32))
    }

    @Test("server and device compute the same digest from register and wire")
    func bothSides() {
        var server = RecordServer()
        _ = server.take(edit(.insert, ["a": 1, "b": 2], lamport: 1), by: "A")
        guard let record = server.record else { return }
        let wire = record.wire(updatedAtUtc: "")
        let sorted = wire.fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) }
        #expect(
            record.digest == RecordDigest(id: wire.id, version: wire.version, sortedFields: sorted))
    }
}
