import Coding
import HTTP

/// Types and encodings of bodies, both ways.
enum ContentRules {
    /// Answers shorter than this travel as they are.
    static let leastPacked = 512

    static func check(_ head: RequestHead) throws(Refusal) {
        guard isJSON(head["content-type"] ?? "") else { throw .badContentType }
        _ = try isPacked(head)
    }

    static func unpacked(_ request: Request, limit: Int) throws -> [UInt8] {
        guard try isPacked(request.head) else { return request.body }
        do {
            return try Gzip.inflate(request.body, limit: limit)
        } catch {
            // Not `catch … where`: Swift 6.0.3 crashes where a typed error is caught in part.
            throw error.code == .tooLarge ? Refusal.unpackedTooLarge : error as any Error
        }
    }

    static func packed(_ response: Response, for head: RequestHead) -> Response {
        guard response.body.count >= leastPacked, takesGzip(head),
            // An answer that cannot be packed travels as it is.
            let packed = try? Gzip.compress(response.body)
        else { return response }
        var answer = response
        answer.body = packed
        return answer.with("Content-Encoding", "gzip").with("Vary", "Accept-Encoding")
    }

    private static func isPacked(_ head: RequestHead) throws(Refusal) -> Bool {
        switch head["content-encoding"]?.lowercased() {
        case nil, "identity": return false
        case "gzip": return true
        default: throw .badEncoding
        }
    }

    /// `application/json`, and no other charset than UTF-8 beside it.
    private static func isJSON(_ type: String) -> Bool {
        let parts = type.lowercased().split(separator: ";").map(trimmed)
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { ["charset=utf-8", #"charset="utf-8""#].contains($0) }
    }

    private static func takesGzip(_ head: RequestHead) -> Bool {
        let codings = (head["accept-encoding"] ?? "").lowercased().split(separator: ",")
        return codings.contains { coding in
            let parts = coding.split(separator: ";").map(trimmed)
            return parts.first == "gzip" && !parts.dropFirst().contains { isZero($0) }
        }
    }

    private static func isZero(_ weight: String) -> Bool {
        weight.hasPrefix("q=") && Double(weight.dropFirst(2)) == 0
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
