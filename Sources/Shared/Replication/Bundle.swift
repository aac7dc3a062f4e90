internal import Coding
internal import Crypto

/// Writes a bundle piece by piece: a device's unsent mutations on their way to its server by cable. What
/// it holds are the bodies of pushes (`PushRequest`), packed, so that no second format exists.
package struct BundleWriter {
    /// Larger ones are not read.
    package static let mostBytes = 128 << 20

    private let header: BundleHeader
    private let cipher: BundleCipher
    private var end = BundleEnd()

    /// - Parameter token: what the device shows its server; the server has its hash.
    package init(_ header: BundleHeader, token: String) throws {
        self.header = header
        cipher = try BundleCipher(tokenHash: SHA256.hash(Array(token.utf8)), header: header)
    }

    /// Stands first.
    package var head: [UInt8] { header.bytes }

    /// The next batch. It carries no baton: a file says nothing of where the device stands when it
    /// is read.
    package mutating func frame(_ batch: PushRequest) throws -> [UInt8] {
        var batch = batch
        batch.baton = nil
        let packed = try Gzip.compress(batch.json.serialized())
        let frame = try cipher.frame(.batch, UInt64(end.batches), packed)
        end.batches += 1
        end.mutations += Int64(batch.mutations.count)
        return frame
    }

    /// Stands last. Without it a bundle counts as cut.
    package func endMark() throws -> [UInt8] {
        try cipher.frame(.end, UInt64(end.batches), end.json.serialized())
    }
}

/// A bundle that was checked from end to end: nothing of one that is damaged is ever handed out.
package struct BundleReader: Sendable {
    package let header: BundleHeader
    package let mutationCount: Int
    package let batchCount: Int
    private let file: [UInt8]
    private let cipher: BundleCipher
    /// Where each batch begins.
    private let starts: [Int]

    /// - Parameter tokenHash: of the device that the header names.
    package init(_ file: [UInt8], tokenHash: [UInt8]) throws(BundleError) {
        let header = try BundleHeader(of: file)
        guard let cipher = try? BundleCipher(tokenHash: tokenHash, header: header) else {
            throw .notAuthentic
        }
        var starts: [Int] = []
        var mutations = 0
        var place = header.bytes.count
        while true {
            let frame = try BundleFrame(in: file, at: place)
            let plaintext = try cipher.unseal(frame, at: UInt64(starts.count))
            guard frame.kind == .batch else {
                try Self.check(
                    plaintext,
                    BundleEnd(
                        batches: Int64(starts.count), mutations: Int64(mutations)))
                guard place + frame.byteCount == file.count else { throw .tooLong }
                break
            }
            mutations += try Self.request(in: plaintext).mutations.count
            starts.append(place)
            place += frame.byteCount
        }
        self.header = header
        self.file = file
        self.cipher = cipher
        self.starts = starts
        batchCount = starts.count
        mutationCount = mutations
    }

    /// Read again from the file: all at once they would fill the memory of a small server.
    package func batch(_ index: Int) throws(BundleError) -> PushRequest {
        let frame = try BundleFrame(in: file, at: starts[index])
        return try Self.request(in: try cipher.unseal(frame, at: UInt64(index)))
    }

    private static func check(_ plaintext: [UInt8], _ counted: BundleEnd) throws(BundleError) {
        guard let said = try? BundleEnd(json: JSON.parse(plaintext)), said == counted else {
            throw .unreadable
        }
    }

    /// Bytes of a batch unpacked, as the server takes it from the network.
    private static let mostBatchBytes = 8 << 20

    private static func request(in plaintext: [UInt8]) throws(BundleError) -> PushRequest {
        do {
            let bytes = try Gzip.inflate(plaintext, limit: mostBatchBytes)
            return try PushRequest(json: JSON.parse(bytes))
        } catch {
            throw .unreadable
        }
    }
}
