internal import CZlib

/// gzip (RFC 1952) through zlib, one member a stream.
package enum Gzip {
    /// Level 6 is zlib's own choice between time and size.
    package static func compress(_ bytes: [UInt8], level: Int32 = 6) throws(CodingError) -> [UInt8]
    {
        var stream = z_stream()
        guard walkdown_deflate_init_gzip(&stream, level) == Z_OK else {
            throw CodingError(.damagedGzip, "the compressor could not start")
        }
        defer { deflateEnd(&stream) }
        // With room for the bound, one call finishes (zlib.h, deflateBound).
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let state = run(&stream, from: bytes[...], into: &output) { deflate($0, Z_FINISH) }
        guard state == Z_STREAM_END else {
            throw CodingError(.damagedGzip, "the compressor did not finish")
        }
        output.removeLast(Int(stream.avail_out))
        return output
    }

    /// Unpacks a stream that must end where the bytes end. What comes out is counted while it
    /// comes, so that a small body cannot unpack to more than `limit` bytes.
    package static func inflate(_ bytes: [UInt8], limit: Int) throws(CodingError) -> [UInt8] {
        var stream = z_stream()
        guard walkdown_inflate_init_gzip(&stream) == Z_OK else {
            throw CodingError(.damagedGzip, "the decompressor could not start")
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        var consumed = 0
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let state = run(&stream, from: bytes[consumed...], into: &chunk) {
                CZlib.inflate($0, Z_NO_FLUSH)
            }
            consumed = bytes.count - Int(stream.avail_in)
            let produced = chunk.count - Int(stream.avail_out)
            guard output.count + produced <= limit else {
                throw CodingError(.tooLarge, "unpacks to more than \(limit) bytes")
            }
            output += chunk[..<produced]
            switch state {
            case Z_STREAM_END:
                guard consumed == bytes.count else {
                    throw CodingError(.damagedGzip, "more follows behind the gzip stream")
                }
                return output
            case Z_OK where produced > 0 || consumed < bytes.count: continue
            case Z_OK, Z_BUF_ERROR: throw CodingError(.damagedGzip, "the gzip stream is cut short")
            default: throw CodingError(.damagedGzip, "the gzip stream is damaged")
            }
        }
    }

    /// Points the stream at both buffers for the time of one call.
    private static func run(
        _ stream: inout z_stream, from input: ArraySlice<UInt8>, into output: inout [UInt8],
        _ call: (UnsafeMutablePointer<z_stream>) -> Int32
    ) -> Int32 {
        input.withUnsafeBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                // zlib reads from `next_in` and never writes there; its type is only not const.
                stream.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                return call(&stream)
            }
        }
    }
}
