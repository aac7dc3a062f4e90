import Coding
import TestSupport
import Testing

private func code(_ bytes: [UInt8], limit: Int) -> CodingError.Code? {
    do throws(CodingError) {
        _ = try Gzip.inflate(bytes, limit: limit)
        return nil
    } catch {
        return error.code
    }
}

struct GzipTests {
    @Test("bytes come back as they were", arguments: [0, 1, 1_000, 65_536, 300_000])
    func roundTrip(count: Int) throws {
        var random = SeededRandom(seed: UInt64(count))
        let bytes = random.bytes(count)
        let packed = try Gzip.compress(bytes)
        #expect(try Gzip.inflate(packed, limit: count) == bytes)
    }

    @Test("a small body cannot unpack to more than the limit")
    func bomb() throws {
        let packed = try Gzip.compress([UInt8](repeating: 0, count: 8 << 20))
        #expect(packed.count < 10_000)
        #expect(code(packed, limit: 8 << 20) == nil)
        #expect(code(packed, limit: (8 << 20) - 1) == .tooLarge)
        #expect(code(packed, limit: 0) == .tooLarge)
    }

    @Test("cut at any byte it is an error")
    func truncated() throws {
        let packed = try Gzip.compress([UInt8]("a reading that must not be lost".utf8))
        for count in 0..<packed.count {
            #expect(code(Array(packed[..<count]), limit: 1_000) == .damagedGzip)
        }
    }

    @Test("damage, other framings and trailing bytes are errors")
    func damaged() throws {
        let packed = try Gzip.compress([UInt8]("a reading that must not be lost".utf8))
        #expect(code(packed + [0], limit: 1_000) == .damagedGzip)
        #expect(code(packed + packed, limit: 1_000) == .damagedGzip)
        #expect(code([UInt8]("<html>".utf8), limit: 1_000) == .damagedGzip)
        var flipped = packed
        flipped[packed.count - 6] ^= 1
        #expect(code(flipped, limit: 1_000) == .damagedGzip)
        var random = SeededRandom(seed: 29)
        for _ in 0..<5_000 {
            var bytes = packed
            bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            _ = code(bytes, limit: 1_000)
        }
    }
}
