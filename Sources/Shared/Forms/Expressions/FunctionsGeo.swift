internal import Glibc

/// Places on the earth, taken as a ball of the equator's radius, as JavaRosa does. Metres and square
/// metres.
enum GeoFunctions {
    static let all: [ExpressionFunction] = [
        ExpressionFunction("area", .exactly(1), area),
        ExpressionFunction("enclosed-area", .exactly(1), area),
        ExpressionFunction("distance", .atLeast(1), distance),
        ExpressionFunction("geofence", .exactly(2), geofence),
    ]

    private static let radius = 6_378_100.0

    private struct Point {
        /// In degrees.
        let latitude: Double
        let longitude: Double

        /// `latitude longitude altitude accuracy`, of which the first two count.
        init?(_ text: Substring) {
            let numbers = text.split(separator: " ").prefix(2).map { NumberText.parse(String($0)) }
            guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
                abs(latitude) <= 90, abs(longitude) <= 180
            else { return nil }
            self.latitude = latitude
            self.longitude = longitude
        }
    }

    /// Points of all arguments: nodes or texts with one point each, or with several and semicolons
    /// between them.
    private static func points(_ call: Arguments) throws(ExpressionError) -> [Point] {
        var points: [Point] = []
        for value in try call.values(from: 0) {
            points += try self.points(in: value.text(in: call.zone), call)
        }
        return points
    }

    private static func points(
        in text: String, _ call: Arguments
    ) throws(ExpressionError) -> [Point] {
        var points: [Point] = []
        for part in text.split(separator: ";") where part.contains(where: { $0 != " " }) {
            guard let point = Point(part) else {
                throw call.problem("a point is not written as latitude and longitude")
            }
            points.append(point)
        }
        try call.evaluation.spend(points.count, at: call.call.place)
        return points
    }

    @Sendable
    private static func area(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let points = try points(call)
        guard points.count >= 3, let first = points.first else { return .number(0) }
        let metresOfDegree = 2 * radius * .pi / 360
        let flat = points.dropFirst().map { point in
            (
                x: (point.longitude - first.longitude) * metresOfDegree
                    * cos(point.latitude * .pi / 180),
                y: (point.latitude - first.latitude) * metresOfDegree
            )
        }
        // Triangles from the first point.
        var sum = 0.0
        for (one, next) in zip(flat, flat.dropFirst()) {
            sum += (one.y * next.x - one.x * next.y) / 2
        }
        return .number(abs(sum))
    }

    @Sendable
    private static func distance(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let points = try points(call)
        var sum = 0.0
        for (one, next) in zip(points, points.dropFirst()) { sum += distance(one, next) }
        return .number(sum)
    }

    /// The spherical law of cosines.
    private static func distance(_ one: Point, _ next: Point) -> Double {
        let between = (one.longitude - next.longitude) * .pi / 180
        let first = one.latitude * .pi / 180
        let second = next.latitude * .pi / 180
        let cosine = sin(first) * sin(second) + cos(first) * cos(second) * cos(between)
        return acos(min(1, max(-1, cosine))) * radius
    }

    /// Whether a point lies in a closed shape (Franklin's crossing test).
    @Sendable
    private static func geofence(_ call: Arguments) throws(ExpressionError) -> ExpressionValue {
        let point = try points(in: try call.text(0), call).first
        let shape = try points(in: try call.text(1), call)
        guard let point, let first = shape.first, let last = shape.last, shape.count > 3,
            first.latitude == last.latitude, first.longitude == last.longitude
        else { return .boolean(false) }
        var isInside = false
        for (one, next) in zip(shape, shape.dropFirst())
        where (next.latitude > point.latitude) != (one.latitude > point.latitude) {
            let crossing =
                (one.longitude - next.longitude) * (point.latitude - next.latitude)
                / (one.latitude - next.latitude) + next.longitude
            if point.longitude < crossing { isInside.toggle() }
        }
        return .boolean(isInside)
    }
}
