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
    /// Whether calculated answers are brought up to date. Without it they are taken as they stand,
    /// by who lacks what they were made from.
    package var calculates = true
    /// In which texts are shown; nil for the form's default.
    package var language: String?

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
