import Replication

/// A cursor moves forward, within an epoch, as long as nothing takes it back.
struct CursorWatch {
    private var newest: (epoch: Int64, position: Int64)?

    mutating func check(_ cursor: String?, _ node: NodeID) throws {
        guard let cursor else {
            newest = nil
            return
        }
        let parts = cursor.split(separator: ".").compactMap { Int64($0, radix: 36) }
        guard parts.count >= 2 else { throw Violation("a cursor is not one", "\(node)") }
        if let newest, newest.epoch == parts[0], newest.position > parts[1] {
            throw Violation(
                "a cursor went back", "\(node): from \(newest.position) to \(parts[1])")
        }
        newest = (parts[0], parts[1])
    }
}
