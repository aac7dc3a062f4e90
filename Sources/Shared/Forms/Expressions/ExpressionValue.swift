/// What an expression comes to.
package enum ExpressionValue: Equatable, Sendable {
    /// Nodes in the order of the document.
    case nodes([Node])
    case text(String)
    case number(Double)
    case boolean(Bool)
    case moment(Moment)
    /// A moment that `number()` was asked for: days with fraction to reckon with, whole days as text.
    case days(Moment)

    package static let empty = ExpressionValue.text("")

    /// JavaRosa's *null*: an empty text, no node, a number that is none.
    package var isBlank: Bool {
        switch self {
        case .nodes(let nodes): nodes.first.map(\.text.isEmpty) ?? true
        case .text(let text): text.isEmpty
        case .number(let number): number.isNaN
        case .boolean, .moment, .days: false
        }
    }

    /// The value with nodes replaced by what the first one holds.
    var unpacked: ExpressionValue {
        guard case .nodes(let nodes) = self else { return self }
        return nodes.first?.value ?? .empty
    }

    /// Zero is false, and so is what is nearer to it than 10⁻¹²; every text but the empty one is true,
    /// `'false'` among them.
    package var boolean: Bool {
        switch self {
        case .nodes(let nodes): nodes.count > 1 || nodes.first?.isTrue ?? false
        case .text(let text): !text.isEmpty
        case .number(let number): abs(number) > 1e-12
        case .boolean(let boolean): boolean
        case .moment, .days: true
        }
    }

    package func number(in zone: ExpressionZone) -> Double {
        switch unpacked {
        case .number(let number): number
        case .boolean(let boolean): boolean ? 1 : 0
        case .moment(let moment), .days(let moment): zone.days(of: moment)
        case .text(let text): Self.number(text, zone)
        case .nodes: .nan
        }
    }

    /// A text that is a date counts as one.
    private static func number(_ text: String, _ zone: ExpressionZone) -> Double {
        if let number = NumberText.parse(text) { return number }
        return Moment(text, in: zone).map(zone.days) ?? .nan
    }

    /// The moment that it is, texts that are dates included; nil for all that is none.
    func moment(in zone: ExpressionZone) -> Moment? {
        switch unpacked {
        case .moment(let moment), .days(let moment): moment
        case .text(let text): NumberText.parse(text) == nil ? Moment(text, in: zone) : nil
        case .number, .boolean, .nodes: nil
        }
    }

    package func text(in zone: ExpressionZone) -> String {
        switch self {
        case .nodes(let nodes): nodes.first?.text ?? ""
        case .text(let text): text
        case .number(let number): NumberText.write(number)
        case .boolean(let boolean): boolean ? "true" : "false"
        case .moment(let moment): zone.text(moment)
        case .days(let moment): NumberText.write(zone.writtenDays(of: moment))
        }
    }

    /// The text to store as an answer: a number that is none is no answer.
    package func answer(in zone: ExpressionZone) -> String {
        if case .number(let number) = self, number.isNaN { return "" }
        return text(in: zone)
    }
}
