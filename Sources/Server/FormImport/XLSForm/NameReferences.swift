/// `${name}` in expressions and labels: the path of the question that is meant.
struct NameReferences {
    private struct Target {
        var path: String
        var repeats: [String]
    }

    private var targets: [String: [Target]] = [:]
    private let root: String
    /// Whether a value of the last submission is asked for (`${last-saved#name}`).
    private(set) var usesLastSaved = false

    static let lastSaved = "__last-saved"

    init(_ root: SurveyNode) {
        self.root = root.path
        collect(root.children)
    }

    private mutating func collect(_ nodes: [SurveyNode]) {
        for node in nodes {
            targets[node.name, default: []].append(
                Target(path: node.path, repeats: node.repeats))
            collect(node.children)
        }
    }

    /// The absolute path of a name; nil if there is none, or more than one.
    func path(of name: String) -> String? {
        guard let found = targets[name], found.count == 1 else { return nil }
        return found[0].path
    }

    func repeats(of name: String) -> [String] { targets[name]?.first?.repeats ?? [] }

    /// The text with paths in the place of `${…}`.
    /// - Parameters:
    ///   - node: where the expression stands: inside a repeat, what stands in the same record is
    ///     named relatively.
    ///   - isFilter: whether `.` is a choice, as in a choice filter.
    mutating func resolved(
        _ text: String, at node: SurveyNode, isFilter: Bool = false, place: FormPlace
    ) throws(FormImportError) -> String {
        guard text.contains("${") else { return text }
        guard text.utf8.count <= ExpressionScan.longest else {
            throw FormImportError(place, "the expression is longer than any may be")
        }
        var result = ""
        var scan = CallScan()
        var rest = text[...]
        // Looked up once: a text full of beginnings without an end would be searched for each.
        let last = text.lastIndex(of: "}") ?? text.startIndex
        while let character = rest.first {
            guard character == "$", rest.dropFirst().first == "{", rest.startIndex < last,
                let close = rest.firstIndex(of: "}")
            else {
                scan.take(character)
                result.append(character)
                rest = rest.dropFirst()
                continue
            }
            let name = rest[rest.index(rest.startIndex, offsetBy: 2)..<close].trimmed
            let inPredicate = isFilter || scan.isInPredicate
            result += try reference(
                to: name, from: node, isAbsolute: scan.wantsAbsolute, inPredicate: inPredicate,
                place: place)
            scan.take("x")
            rest = rest[rest.index(after: close)...]
        }
        return result
    }

    /// A label in its parts.
    mutating func parts(
        of text: String, at node: SurveyNode, place: FormPlace
    ) throws(FormImportError) -> [TextPart] {
        var parts: [TextPart] = []
        var rest = text[...]
        while let found = rest.firstRange(of: "${"),
            let close = rest[found.upperBound...].firstIndex(of: "}")
        {
            if found.lowerBound > rest.startIndex {
                parts.append(.plain(String(rest[..<found.lowerBound])))
            }
            let name = rest[found.upperBound..<close].trimmed
            let path = try reference(
                to: name, from: node, isAbsolute: false, inPredicate: false, place: place)
            parts.append(.output(ExpressionText(path, at: place)))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.plain(String(rest))) }
        return parts
    }

    private mutating func reference(
        to written: String, from node: SurveyNode, isAbsolute: Bool, inPredicate: Bool,
        place: FormPlace
    ) throws(FormImportError) -> String {
        let isSaved = written.hasPrefix("last-saved#")
        let name = isSaved ? String(written.dropFirst("last-saved#".count)) : written
        guard let found = targets[name], let target = found.first else {
            throw FormImportError(place, "there is no question named \(name) for ${\(written)}")
        }
        guard found.count == 1 else {
            throw FormImportError(place, "${\(name)} could mean \(found.count) questions")
        }
        if isSaved {
            usesLastSaved = true
            return "instance('\(Self.lastSaved)')" + target.path
        }
        let sharesRepeat = !node.repeats.isEmpty && node.repeats.first == target.repeats.first
        guard sharesRepeat, !isAbsolute else { return target.path }
        let path = Self.relative(target.path, from: node.path)
        return inPredicate ? "current()/" + path : path
    }

    static func relative(_ target: String, from context: String) -> String {
        let here = context.split(separator: "/")
        let there = target.split(separator: "/")
        let shared = zip(here, there).prefix { $0 == $1 }.count
        let steps =
            Array(repeating: "..", count: here.count - shared) + there[shared...].map(String.init)
        return steps.isEmpty ? "." : steps.joined(separator: "/")
    }
}

/// Follows an expression character by character: in which call and argument, in a predicate or not.
private struct CallScan {
    private struct Call {
        var name: String
        var argument = 0
        var isPredicate = false
    }

    private var calls: [Call] = []
    private var word = ""
    private var quote: Character?

    private var predicates = 0

    var isInPredicate: Bool { predicates > 0 }

    /// The fields and repeats of `indexed-repeat(field, repeat, index, …)` are named absolutely.
    var wantsAbsolute: Bool {
        guard let call = calls.last, call.name == "indexed-repeat" else { return false }
        return call.argument == 0 || call.argument % 2 == 1
    }

    mutating func take(_ character: Character) {
        if let mark = quote {
            if character == mark { quote = nil }
            return
        }
        switch character {
        case "'", "\"": quote = character
        case "(": calls.append(Call(name: word))
        case "[":
            calls.append(Call(name: "", isPredicate: true))
            predicates += 1
        case ")", "]": predicates -= calls.popLast()?.isPredicate == true ? 1 : 0
        case ",": if !calls.isEmpty { calls[calls.count - 1].argument += 1 }
        default: break
        }
        if ExpressionScan.isNameCharacter(character) {
            word.append(character)
        } else if !character.isWhitespace {
            word = ""
        }
    }
}
