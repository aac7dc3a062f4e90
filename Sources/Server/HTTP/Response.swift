/// One answer.
package struct Response: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        package var name: String
        package var value: String
    }

    package var status: Int
    package var fields: [Field]
    package var body: [UInt8]
    /// The connection ends after this answer.
    package var closes: Bool

    package init(
        status: Int, contentType: String = "application/json", body: [UInt8] = [],
        closes: Bool = false
    ) {
        self.status = status
        self.fields = body.isEmpty ? [] : [Field(name: "Content-Type", value: contentType)]
        self.body = body
        self.closes = closes
    }

    package func with(_ name: String, _ value: String) -> Response {
        var copy = self
        copy.fields.append(Field(name: name, value: value))
        return copy
    }

    var closing: Response {
        var copy = self
        copy.closes = true
        return copy
    }

    /// The one shape of an error: `{"error":{"code":…,"message":…}}`.
    ///
    /// - Parameters:
    ///   - code: lower case with underscores; programs compare it.
    ///   - message: a sentence for people that repeats nothing secret from the request.
    package static func error(
        _ status: Int, _ code: String, _ message: String, closes: Bool = false
    ) -> Response {
        let text = #"{"error":{"code":"\#(escaped(code))","message":"\#(escaped(message))"}}"#
        return Response(status: status, body: Array(text.utf8), closes: closes)
    }

    /// What a request gets that comes too late.
    static let stopping = Response.error(
        503, "stopping", "The server is stopping; try again.", closes: true
    ).with("Retry-After", "5")

    /// The text inside a JSON string.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
