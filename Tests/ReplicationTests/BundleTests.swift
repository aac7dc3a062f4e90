import Coding
import Crypto
import TestSupport
import Testing

@testable import Replication

/// The file that carries mutations by cable.
@Suite("F12 A bundle on its way")
struct BundleTests {
    private static let ranges: [ClosedRange<Int64>] = [1...2, 3...3, 4...6]
    private let token = String(repeating: "a1", count: 32)
    private var hash: [UInt8] { SHA256.hash(Array(token.utf8)) }

    private func header(_ nonce: UInt8 = 1) -> BundleHeader {
        BundleHeader(
            device: "device-7",
            nonce: [UInt8](repeating: nonce, count: BundleHeader.nonceByteCount))
    }

    private func batch(_ numbers: ClosedRange<Int64>) -> PushRequest {
        PushRequest(
            clientNodeId: "node-a", clientEpoch: 1, baton: "not to leave", pullPosition: "cursor",
            mutations: numbers.map { number in
                Mutation(
                    id: MutationID("mutation-\(number)"), sequence: number, table: "inspection",
                    record: "record-1", parent: nil, operation: .update, lamport: number,
                    changes: [
                        "notes": FieldChange(
                            value: .string("zebra needle \(number)"), baseVersion: 3,
                            lamport: number)
                    ], createdAtUtc: "2026-03-02T08:00:00.000Z")
            })
    }

    /// The header, three batches and the end mark, each apart.
    private func pieces(_ nonce: UInt8 = 1, token: String? = nil) throws -> [[UInt8]] {
        var writer = try BundleWriter(header(nonce), token: token ?? self.token)
        let batches = try Self.ranges.map { try writer.frame(batch($0)) }
        return try [writer.head] + batches + [writer.endMark()]
    }

    private func refusal(of file: [UInt8]) -> BundleError? {
        do {
            _ = try BundleReader(file, tokenHash: hash)
            return nil
        } catch {
            return error
        }
    }

    @Test("it gives back the batches as they were, without the baton, and nothing stands in clear")
    func roundTrip() throws {
        let file = try pieces().flatMap { $0 }
        let bundle = try BundleReader(file, tokenHash: hash)
        #expect(try BundleHeader(of: file).device == "device-7")
        #expect(bundle.mutationCount == 6 && bundle.batchCount == 3)
        for (index, numbers) in Self.ranges.enumerated() {
            var sent = batch(numbers)
            sent.baton = nil
            #expect(try bundle.batch(index) == sent)
        }
        for needle in ["zebra", "notes", "record-1", "node-a", token] {
            #expect(!contains(Array(needle.utf8), in: file))
        }
    }

    private func contains(_ needle: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: needle) }
    }

    @Test("cut anywhere it is refused as cut")
    func cut() throws {
        let file = try pieces().flatMap { $0 }
        #expect(refusal(of: []) == .notABundle)
        for length in 1..<file.count {
            #expect(refusal(of: Array(file[..<length])) == .cutShort, "\(length) bytes")
        }
    }

    @Test("a bit that is changed anywhere is noticed")
    func changed() throws {
        let file = try pieces().flatMap { $0 }
        for place in file.indices {
            var changed = file
            changed[place] ^= 1 << (place % 8)
            #expect(refusal(of: changed) != nil, "byte \(place)")
        }
    }

    @Test("batches that are exchanged, doubled, left out or of another bundle are noticed")
    func moved() throws {
        let own = try pieces()
        let other = try pieces(2)
        let orders = [[0, 2, 1, 3, 4], [0, 1, 1, 2, 3, 4], [0, 1, 2, 4], [0, 4], [0, 2, 3, 4]]
        for order in orders {
            #expect(refusal(of: order.flatMap { own[$0] }) == .notAuthentic, "\(order)")
        }
        #expect(
            refusal(of: [own[0], own[1], other[2], own[3], own[4]].flatMap { $0 })
                == .notAuthentic)
        #expect(refusal(of: own.flatMap { $0 } + [0]) == .tooLong)
        #expect(refusal(of: own.flatMap { $0 } + own[4]) == .tooLong)
    }

    @Test("another token, a newer version and what is no bundle are told apart")
    func foreign() throws {
        #expect(refusal(of: try pieces(token: "other").flatMap { $0 }) == .notAuthentic)
        var newer = try pieces().flatMap { $0 }
        newer[BundleHeader.magic.count] = 9
        #expect(refusal(of: newer) == .unknownVersion(9))
        #expect(refusal(of: Array("id,name,team\n".utf8)) == .notABundle)
    }

    @Test("20,000 mangled bundles are refused and crash nothing")
    func mangled() throws {
        let file = try pieces().flatMap { $0 }
        var random = SeededRandom(seed: 12)
        for _ in 0..<20_000 {
            var bytes = file
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = bytes[place] &+ UInt8.random(in: 1...255, using: &random)
            }
            if Bool.random(using: &random) {
                bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
            }
            #expect(bytes == file || refusal(of: bytes) != nil)
        }
    }
}
