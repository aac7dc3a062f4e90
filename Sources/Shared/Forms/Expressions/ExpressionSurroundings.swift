/// All that an expression may ask for besides the node that it belongs to. Nothing comes from
/// anywhere else: no clock, no zone, no chance.
package struct ExpressionSurroundings: Sendable {
    /// Secondary instances by id.
    package var instances: [String: NodeTree]
    /// Those of the form itself; one of the same id in `instances` goes before.
    package var lists: [String: LazyTree]
    /// Milliseconds since 1970-01-01 UTC.
    package var now: @Sendable () -> Int64
    package var zone: ExpressionZone
    /// From 0 to below 1.
    package var randomFraction: @Sendable () -> Double
    package var uuid: @Sendable () -> String
    /// The label of a choice, by its name and by the path of the question that offers it, as it reads at a
    /// node.
    package var choiceLabel: @Sendable (_ name: String, _ question: String, Node) -> String?
    /// The text of an itext id in the language that is shown.
    package var translation: @Sendable (_ id: String) -> String?
    /// A property of the device or of its user, such as `username`.
    package var property: @Sendable (_ name: String) -> String?
    package var formVersion: String

    package init(
        instances: [String: NodeTree] = [:], lists: [String: LazyTree] = [:],
        now: @escaping @Sendable () -> Int64, zone: ExpressionZone,
        randomFraction: @escaping @Sendable () -> Double,
        uuid: @escaping @Sendable () -> String,
        choiceLabel: @escaping @Sendable (String, String, Node) -> String? = { _, _, _ in nil },
        translation: @escaping @Sendable (String) -> String? = { _ in nil },
        property: @escaping @Sendable (String) -> String? = { _ in nil },
        formVersion: String = ""
    ) {
        self.instances = instances
        self.lists = lists
        self.now = now
        self.zone = zone
        self.randomFraction = randomFraction
        self.uuid = uuid
        self.choiceLabel = choiceLabel
        self.translation = translation
        self.property = property
        self.formVersion = formVersion
    }
}
