/// A position as ODK writes it: degrees north and east, metres above the ellipsoid, metres of accuracy.
package struct GeoPoint: Hashable, Sendable, CustomStringConvertible {
    package let north: Double
    package let east: Double
    package let altitude: Double
    package let accuracy: Double

    package init?(north: Double, east: Double, altitude: Double = 0, accuracy: Double = 0) {
        guard (-90...90).contains(north), (-180...180).contains(east), altitude.isFinite,
            accuracy.isFinite, accuracy >= 0
        else { return nil }
        self.north = north
        self.east = east
        self.altitude = altitude
        self.accuracy = accuracy
    }

    /// `52.1 4.3`, `52.1, 4.3`, `52.1 4.3 0 12`; points as decimal marks. A comma within a number is
    /// refused: nobody could tell what it divides.
    package init?(_ text: String) {
        let parts = text.split(separator: " ").map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
        guard (2...4).contains(parts.count), text.utf8.count <= 200 else { return nil }
        var numbers: [Double] = []
        for part in parts {
            guard part.utf8.allSatisfy({ "+-.0123456789".utf8.contains($0) }),
                let number = Double(part)
            else { return nil }
            numbers.append(number)
        }
        self.init(
            north: numbers[0], east: numbers[1], altitude: numbers.count > 2 ? numbers[2] : 0,
            accuracy: numbers.count > 3 ? numbers[3] : 0)
    }

    package var description: String {
        [north, east, altitude, accuracy].map { NumberText.write($0) }.joined(separator: " ")
    }

    /// Points with `;` between them, and perhaps after the last; nil unless all can be read.
    package static func points(_ text: String) -> [GeoPoint]? {
        var points: [GeoPoint] = []
        for part in text.split(separator: ";") {
            let part = TypedText.trimmed(String(part))
            if part.isEmpty { continue }
            guard let point = GeoPoint(part) else { return nil }
            points.append(point)
        }
        return points.isEmpty ? nil : points
    }

    /// At least a triangle, and closed.
    static func isShape(_ text: String) -> Bool {
        guard let points = points(text), points.count >= 4, let first = points.first,
            let last = points.last
        else { return false }
        return first.north == last.north && first.east == last.east
    }
}
