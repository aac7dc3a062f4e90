import Coding

/// What goes through the control socket: a command line and its files in, what it printed out. One
/// JSON document each way; the end of the stream ends it.
struct ControlRequest: Equatable {
    /// The words after the program's name.
    var words: [String]
    /// Contents of the files that the words name; the server may not be allowed to read them. Where
    /// a command reads one that is no text, it comes in base64.
    var files: [String: String]

    init(words: [String], files: [String: String]) {
        self.words = words
        self.files = files
    }

    init(json: JSON) throws(CodingError) {
        words = try json.array("words") { value throws(CodingError) in try value.asString() }
        files = try json.dictionary("files") { value throws(CodingError) in try value.asString() }
    }

    var json: JSON {
        [
            "words": .array(words.map { .string($0) }),
            "files": .object(files.mapValues { .string($0) }),
        ]
    }

    /// Files and exports are larger than anything on the wire.
    static let limits = JSONLimits(
        bytes: 256 << 20, depth: 4, stringBytes: 256 << 20, values: 10_000)
}

struct ControlReply: Equatable {
    var status: Int32
    var output: String
    var messages: String

    init(status: Int32, output: String, messages: String) {
        self.status = status
        self.output = output
        self.messages = messages
    }

    init(json: JSON) throws(CodingError) {
        status = Int32(truncatingIfNeeded: try json.integer("status"))
        output = try json.read("output") { value throws(CodingError) in try value.asString() }
        messages = try json.read("messages") { value throws(CodingError) in try value.asString() }
    }

    var json: JSON {
        [
            "status": .integer(Int64(status)), "output": .string(output),
            "messages": .string(messages),
        ]
    }
}
