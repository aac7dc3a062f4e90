/// Labels and names of many choices in small letters, one behind the other, to find words in: 50,000 of
/// them are searched between two keys.
struct ChoiceSearch: Equatable, Sendable {
    private var bytes: [UInt8] = []
    /// Where the text of each choice ends.
    private var ends: [Int] = []

    init(labels: [String], names: [String]) {
        ends.reserveCapacity(labels.count)
        for (label, name) in zip(labels, names) {
            append(label)
            bytes.append(UInt8(ascii: "\n"))
            append(name)
            ends.append(bytes.count)
        }
    }

    private mutating func append(_ text: String) {
        let start = bytes.count
        var isPlain = true
        for byte in text.utf8 {
            isPlain = isPlain && byte < 0x80
            let isCapital = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            bytes.append(isCapital ? byte | 0x20 : byte)
        }
        guard !isPlain else { return }
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: text.lowercased().utf8)
    }

    /// Those of the places whose text holds every word.
    func places(fitting text: String, among places: [Int]) -> [Int] {
        let words = text.lowercased().split(separator: " ").map { Array($0.utf8) }
        guard !words.isEmpty else { return places }
        return bytes.withUnsafeBufferPointer { all in
            places.filter { place in
                let start = place == 0 ? 0 : ends[place - 1]
                return words.allSatisfy { Self.find($0, in: all, from: start, to: ends[place]) }
            }
        }
    }

    private static func find(
        _ word: [UInt8], in all: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int
    ) -> Bool {
        let last = end - word.count
        guard start <= last else { return false }
        let first = word[0]
        for index in start...last where all[index] == first {
            if word.indices.allSatisfy({ all[index + $0] == word[$0] }) { return true }
        }
        return false
    }
}
