/// Whether a request has one meaning only.
///
/// Pure. libmicrohttpd forgives what a proxy in front may read differently (two lengths, a length
/// beside chunks, folded lines, NUL inside a header); each of these lets a second request hide in
/// the body of the first (request smuggling, ASVS 4.2.1). Whatever is doubtful is refused and the
/// connection closed.
struct Framing {
    /// One header line as the library read it. Bytes that are no UTF-8 become replacement
    /// characters in the texts; no header that counts has any.
    struct Line: Equatable {
        var nameBytes: [UInt8]
        var valueBytes: [UInt8]

        init(name: [UInt8], value: [UInt8]) {
            nameBytes = name
            valueBytes = value
        }

        var name: String { String(decoding: nameBytes, as: UTF8.self) }
        var value: String { String(decoding: valueBytes, as: UTF8.self) }
    }

    var method: String
    /// As it stood in the request line.
    var target: String
    var version: String
    var lines: [Line]
    /// Bytes that request line and header took on the wire, as the library counted them.
    var size: Int
    /// Request line and header as the library left them in memory: where it cut, at the colons and
    /// the ends of lines, each byte is 0. Nil where the library itself refuses what is looked for
    /// here: from 1.0 on, at its level of RFC 9112.
    var block: [UInt8]?

    /// What the body will be.
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
    }

    static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// Names that a request may bear more than once; every other name at most once.
    private static let repeatable: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "cookie", "forwarded",
        "via", "x-forwarded-for",
    ]

    /// - Returns: nil when all is well, else the answer.
    func refusal(limits: Limits) -> Response? {
        if size > limits.header {
            return .error(431, "header_too_large", "The header is too large.", closes: true)
        }
        guard Self.methods.contains(method) else {
            return .error(405, "method_not_allowed", "This method is not known.", closes: true)
                .with("Allow", "GET, POST")
        }
        guard let doubt else { return nil }
        return .error(400, "bad_request", doubt, closes: true)
    }

    /// Says what is ambiguous, or nil.
    private var doubt: String? {
        if !isWrittenOut { return "The header holds folded lines, NUL or stray blanks." }
        if lines.contains(where: { !Self.isToken($0.name) || !Self.isPlain($0.value) }) {
            return "The header holds characters that it must not."
        }
        if let twice = repeatedName { return "The header \(twice) stands twice." }
        if version == "HTTP/1.1", values("host").count != 1 {
            return "The request names no host."
        }
        return bodyDoubt
    }

    private var bodyDoubt: String? {
        let codings = values("transfer-encoding")
        let lengths = values("content-length")
        if !codings.isEmpty, !lengths.isEmpty {
            return "A request has a length or chunks, not both."
        }
        if let coding = codings.first, coding.lowercased() != "chunked" {
            return "The transfer encoding is not known."
        }
        if let length = lengths.first, Self.length(length) == nil {
            return "The content length is no number."
        }
        switch (version, method, body) {
        case (_, _, .none), (_, _, .length(0)): return nil
        case ("HTTP/1.1", "GET", _), ("HTTP/1.1", "HEAD", _): return "\(method) takes no body."
        case ("HTTP/1.1", _, _): return nil
        default: return "A body needs HTTP/1.1."
        }
    }

    var body: Body {
        if !values("transfer-encoding").isEmpty { return .chunked }
        return values("content-length").first.flatMap(Self.length).map(Body.length) ?? .none
    }

    /// The header as the rest of the program sees it.
    var headers: [String: String] {
        lines.reduce(into: [:]) { result, line in
            let name = line.name.lowercased()
            result[name] = result[name].map { "\($0), \(line.value)" } ?? line.value
        }
    }

    /// Whether the lines as the library read them are all that the header held, byte for byte. A
    /// folded line and a NUL inside a line leave bytes behind that belong to none.
    private var isWrittenOut: Bool {
        guard let block else { return true }
        var rest = block.dropFirst(firstLineSize - 2)
        func takeEnd() -> Bool {
            guard rest.prefix(2).elementsEqual([0, 0]) else { return false }
            rest = rest.dropFirst(2)
            return true
        }
        guard takeEnd() else { return false }
        for line in lines {
            guard rest.starts(with: line.nameBytes + [0]) else { return false }
            rest = rest.dropFirst(line.nameBytes.count + 1).drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.starts(with: line.valueBytes) else { return false }
            rest = rest.dropFirst(line.valueBytes.count)
            guard takeEnd() else { return false }
        }
        return takeEnd() && rest.isEmpty
    }

    private var firstLineSize: Int {
        method.utf8.count + 1 + target.utf8.count + 1 + version.utf8.count + 2
    }

    private var repeatedName: String? {
        var seen: Set<String> = []
        return lines.lazy.map { $0.name.lowercased() }
            .first { !seen.insert($0).inserted && !Self.repeatable.contains($0) }
    }

    private func values(_ name: String) -> [String] {
        lines.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// Digits only, and few enough for `Int`.
    private static func length(_ text: String) -> Int? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    }

    /// RFC 9110, 5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    private static func isPlain(_ value: String) -> Bool {
        value.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    }
}
