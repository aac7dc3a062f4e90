/// Numbers and their text, free of locale.
package enum NumberText {
    /// The number that a text is: blanks around it are passed over, a comma is a decimal point, an
    /// exponent may follow. Nil for anything else, such as `1,000.5`, `0x1F` or `infinity`.
    package static func parse(_ text: String) -> Double? {
        // Before anything is copied: no number is as long as that.
        guard text.utf8.count <= 2_000 else { return nil }
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, isBlank(first) { bytes.removeFirst() }
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        guard !bytes.isEmpty, isNumber(bytes) else { return nil }
        let pointed = bytes.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }
        var digits = String(decoding: pointed, as: UTF8.self)
        if digits.hasSuffix(".") { digits.removeLast() }
        return Double(digits.replacing(".e", with: "e").replacing(".E", with: "e"))
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// `-? (digits ([.,] digits?)? | [.,] digits) ([eE] [+-]? digits)?`
    private static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        var digits = takeDigits(&rest)
        if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
            rest.removeFirst()
            digits += takeDigits(&rest)
        }
        guard digits > 0 else { return false }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") {
                rest.removeFirst()
            }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func takeDigits(_ bytes: inout ArraySlice<UInt8>) -> Int {
        let before = bytes.count
        while let byte = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            bytes.removeFirst()
        }
        return before - bytes.count
    }

    /// The shortest text that reads back to the number, never with an exponent.
    package static func write(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Infinity" : "Infinity" }
        if abs(number) < 1e-12 { return "0" }
        if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
        return DecimalDigits(number).plain
    }

    /// Rounds as Excel does: halves go away from zero, by the digits that are shown and not by the
    /// binary number behind them (`round(1.005, 2)` is 1.01).
    /// - Parameter places: after the decimal point; before it when negative. At most
    ///   `ExpressionLimits.decimals` either way, beyond that NaN.
    package static func round(_ number: Double, places: Int) -> Double {
        guard number.isFinite else { return number }
        guard abs(places) <= ExpressionLimits.decimals else { return .nan }
        return DecimalDigits(number).rounded(to: places)
    }
}

/// A finite number as decimal digits: ±0.d₁d₂d₃… · 10^point.
private struct DecimalDigits {
    private var isNegative: Bool
    private var digits: [UInt8]
    private var point: Int

    /// From the shortest text that reads back to the number.
    init(_ number: Double) {
        isNegative = number < 0
        digits = []
        point = 0
        var beforePoint = true
        var exponent = ""
        var inExponent = false
        for scalar in abs(number).description.unicodeScalars {
            if inExponent {
                exponent.unicodeScalars.append(scalar)
            } else if scalar == "." {
                beforePoint = false
            } else if scalar == "e" {
                inExponent = true
            } else {
                digits.append(UInt8(truncatingIfNeeded: scalar.value - 0x30))
                if beforePoint { point += 1 }
            }
        }
        // Int takes "+20" and "-7".
        point += Int(exponent) ?? 0
        while digits.first == 0 {
            digits.removeFirst()
            point -= 1
        }
        while digits.last == 0 { digits.removeLast() }
    }

    var plain: String {
        let sign = isNegative ? "-" : ""
        if digits.isEmpty { return "0" }
        let text = digits.map { String($0) }.joined()
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + text }
        if point >= digits.count {
            return sign + text + String(repeating: "0", count: point - digits.count)
        }
        return sign + text.prefix(point) + "." + text.dropFirst(point)
    }

    func rounded(to places: Int) -> Double {
        var kept = self
        let count = point + places
        guard count < digits.count else { return value }
        guard count >= 0 else { return 0 }
        kept.digits = Array(digits.prefix(count))
        if digits[count] >= 5 { kept.increment(at: count) }
        return kept.value
    }

    private mutating func increment(at count: Int) {
        var index = count - 1
        while index >= 0, digits[index] == 9 {
            digits[index] = 0
            index -= 1
        }
        if index >= 0 {
            digits[index] += 1
        } else {
            digits.insert(1, at: 0)
            point += 1
        }
    }

    private var value: Double { Double(plain) ?? .nan }
}
