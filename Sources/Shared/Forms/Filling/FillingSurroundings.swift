/// What filling a form needs besides the answers. Nothing comes from anywhere else: no clock, no zone,
/// no chance.
package struct FillingSurroundings: Sendable {
    /// Milliseconds since 1970-01-01 UTC.
    package var now: @Sendable () -> Int64
    package var zone: ExpressionZone
    /// From 0 to below 1.
    package var randomFraction: @Sendable () -> Double
    package var uuid: @Sendable () -> String
    /// A property of the device or its user by ODK's name, such as `username`.
    package var property: @Sendable (String) -> String?
    /// Lists that are not part of the form, such as what was last submitted.
    package var instances: [String: NodeTree] = [:]
    /// Which calculated answers are brought up to date; the others are taken as they stand.
    package var calculates = Calculations.all
    /// Which rules are judged. Of one that rests on more nobody here can say what it came to where the
    /// answers were given: it stands in the way of nothing.
    package var judges = Calculations.all
    /// What one change may cost at most.
    package var stepsOfOneChange = FormLimits.stepsOfOneChange
    /// The id of the inspection that is filled in. By it each has an order of its own where a list is shuffled,
    /// the same whenever it is shown.
    package var inspection = ""
    /// In which texts are shown; nil for the form's default.
    package var language: String?

    /// What an expression may rest on to be worked out, each including the ones before it. Who fills a
    /// form in has all of it. Who looks at answers, perhaps of somebody else and long after, would come
    /// to something that nobody has seen.
    package enum Calculations: Int, Comparable, Sendable {
        case none
        /// Answers and the form's own lists: the same for everybody who has the same answers.
        case answers
        /// The day as well, and the zone in which it is one.
        case day
        /// The moment, chance, the device and its user.
        case all

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package init(
        now: @escaping @Sendable () -> Int64, zone: ExpressionZone,
        randomFraction: @escaping @Sendable () -> Double,
        uuid: @escaping @Sendable () -> String,
        property: @escaping @Sendable (String) -> String? = { _ in nil }
    ) {
        self.now = now
        self.zone = zone
        self.randomFraction = randomFraction
        self.uuid = uuid
        self.property = property
    }

    /// For looking at answers only: at one instant, without chance.
    /// - Parameter now: milliseconds since 1970-01-01 UTC.
    package static func looking(
        at now: Int64, zone: ExpressionZone = ExpressionZone(fixedOffset: 0)
    ) -> FillingSurroundings {
        FillingSurroundings(
            now: { now }, zone: zone, randomFraction: { 0 },
            uuid: { "00000000-0000-4000-8000-000000000000" })
    }
}
