import Forms

/// Where expressions of tests are evaluated: noon of 2026-11-30, three hours ahead of UTC.
struct ExpressionWorld {
    var tree: NodeTree
    var surroundings = ExpressionSurroundings(
        now: { 1_796_029_200_000 }, zone: ExpressionZone(fixedOffset: 3 * 3_600),
        randomFraction: { 0.25 }, uuid: { "12345678-1234-4234-8234-123456789abc" })

    init(_ xml: String = "<data/>") throws {
        tree = try XMLFixture.tree(xml)
    }

    /// - Parameter path: of the node that the expression belongs to; its first node is taken.
    func value(_ text: String, at path: String = "/*") throws -> ExpressionValue {
        guard let node = try nodes(path).first else { throw NoSuchNode(path: path) }
        return try FormExpression(text).value(at: node, in: surroundings)
    }

    func nodes(_ path: String) throws -> [Node] {
        guard
            case .nodes(let nodes) = try FormExpression(path).value(
                at: tree.document, in: surroundings)
        else { return [] }
        return nodes
    }

    func text(_ text: String, at path: String = "/*") throws -> String {
        try value(text, at: path).text(in: surroundings.zone)
    }

    /// The error of reading or evaluating; nil when there is none.
    func failure(_ text: String) -> ExpressionError? {
        do {
            _ = try FormExpression(text).value(at: tree.root, in: surroundings)
            return nil
        } catch {
            return error
        }
    }

    struct NoSuchNode: Error {
        let path: String
    }
}
