package import Coding
internal import Crypto

/// What happens when two nodes changed one field and neither saw the other's change. The form names
/// it for each question.
package enum MergePolicy: Hashable, Sendable, CustomStringConvertible {
    /// The inspector decides on the device.
    case ask
    /// A supervisor decides in the review queue.
    case quarantine
    /// The value that stands first in the list wins; values that are not listed stand behind it.
    case rank([String])
    /// The later stamp wins: Lamport counter, node, then the hash of the value.
    case lww
    case max
    case min
    /// Words separated by spaces: what one side added is added, what it removed is removed.
    case union

    /// `ask quarantine lww max min union` or `rank:FIRST,SECOND,…`.
    package init(parsing text: String) throws(ReplicationError) {
        switch text {
        case "ask": self = .ask
        case "quarantine": self = .quarantine
        case "lww": self = .lww
        case "max": self = .max
        case "min": self = .min
        case "union": self = .union
        default:
            guard text.hasPrefix("rank:") else { throw .unknownPolicy(text) }
            let order = text.dropFirst(5).split(separator: ",", omittingEmptySubsequences: false)
                .map { String($0.drop { $0 == " " }.trimmingTrailingSpaces) }
            guard order.allSatisfy({ !$0.isEmpty }), Set(order).count == order.count else {
                throw .unknownPolicy(text)
            }
            self = .rank(order)
        }
    }

    package var description: String {
        switch self {
        case .rank(let order): "rank:" + order.joined(separator: ",")
        default: rule.rawValue
        }
    }

    package var rule: MergeRule {
        switch self {
        case .ask: .ask
        case .quarantine: .quarantine
        case .rank: .rank
        case .lww: .lww
        case .max: .max
        case .min: .min
        case .union: .union
        }
    }
}

extension Substring {
    fileprivate var trimmingTrailingSpaces: Substring {
        var trimmed = self
        while trimmed.last == " " { trimmed.removeLast() }
        return trimmed
    }
}

/// One of the two values that meet.
package struct Contender: Hashable, Sendable {
    package var value: FieldValue
    package var stamp: Stamp

    package init(value: FieldValue, stamp: Stamp) {
        self.value = value
        self.stamp = stamp
    }
}

extension MergePolicy {
    /// The winner of two concurrent values under `rank`, `lww`, `max` or `min`; nil under the
    /// policies that choose neither.
    ///
    /// Each of the four is the maximum of a total order, which makes it commutative, associative
    /// and idempotent (PRODUCT M27).
    package func winner(_ left: Contender, _ right: Contender) -> Contender? {
        let prefersRight: Bool
        switch self {
        case .ask, .quarantine, .union: return nil
        case .lww: prefersRight = Self.isLater(right, than: left)
        case .rank(let order):
            prefersRight = Self.prefers(
                Self.place(of: right.value, in: order), over: Self.place(of: left.value, in: order),
                else: Self.isLater(right, than: left))
        case .max:
            prefersRight = Self.prefers(
                left.value, over: right.value, else: Self.isLater(right, than: left))
        case .min:
            // An empty answer is no small number: any value is better than none.
            prefersRight =
                left.value.isNull || right.value.isNull
                ? Self.prefers(left.value, over: right.value, else: Self.isLater(right, than: left))
                : Self.prefers(right.value, over: left.value, else: Self.isLater(right, than: left))
        }
        return prefersRight ? right : left
    }

    /// Whether `small` comes before `large`; where they are equal the stamps decide.
    private static func prefers<Value: Comparable>(
        _ small: Value, over large: Value, else tie: @autoclosure () -> Bool
    ) -> Bool {
        small == large ? tie() : small < large
    }

    private static func place(of value: FieldValue, in order: [String]) -> Int {
        let text = value.plainText
        return order.firstIndex { $0.utf8.elementsEqual(text.utf8) } ?? order.count
    }

    private static func isLater(_ right: Contender, than left: Contender) -> Bool {
        guard left.stamp == right.stamp else { return left.stamp < right.stamp }
        guard left.value != right.value else { return false }
        let leftHash = SHA256.hash(left.value.canonicalBytes)
        return leftHash.lexicographicallyPrecedes(SHA256.hash(right.value.canonicalBytes))
    }

    /// The three-way union of space-separated words: `current + (mine − base) − (base − mine)`, in
    /// the order of `current`, then of what was added. Without a word left, nothing.
    package static func union(
        current: FieldValue, mine: FieldValue, base: FieldValue
    ) throws(FieldValueError) -> FieldValue {
        let mineWords = words(of: mine)
        let baseWords = words(of: base)
        let removed = Set(baseWords).subtracting(mineWords)
        let added = mineWords.filter { !baseWords.contains($0) }
        var seen: Set<[UInt8]> = []
        let merged = (words(of: current) + added).filter {
            !removed.contains($0) && seen.insert($0).inserted
        }
        guard !merged.isEmpty else { return .null }
        let bytes = Array(merged.joined(separator: [UInt8(ascii: " ")]))
        return try FieldValue(text: String(decoding: bytes, as: UTF8.self))
    }

    /// As bytes, because `String` takes two spellings of one character for the same.
    private static func words(of value: FieldValue) -> [[UInt8]] {
        value.plainText.utf8.split(separator: UInt8(ascii: " ")).map(Array.init)
    }
}
