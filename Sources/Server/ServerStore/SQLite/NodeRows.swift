internal import Replication
internal import SQLite

/// The nodes under which a device has pushed. It enrols under one, and takes another when the
/// server notices that its past was lived twice.
extension Connection {
    /// - Returns: the id of the device that a node belongs to; nil where nobody has it.
    func owner(of node: NodeID) throws -> String? {
        try first(
            "SELECT device_id FROM device_node WHERE node = ?", [.text(node.rawValue)]
        ) { try $0.text(0) }
    }

    /// The device as it speaks under `node`, which may be one that nobody has yet.
    ///
    /// - Throws: `wrongNode` where it is another device's, or none that a device may have.
    func requireDevice(id: String, as node: NodeID) throws -> Device {
        let device = try requireDevice(id: id)
        try check(node, of: device)
        return device.speaking(as: node)
    }

    func check(_ node: NodeID, of device: Device) throws {
        guard node != device.node else { return }
        let isFree = !node.rawValue.hasPrefix(Supervisor.nodePrefix)
        guard isFree, try owner(of: node) ?? device.id == device.id else {
            throw ServerStoreError(.wrongNode, "the node is not one of this device's")
        }
    }

    /// - Returns: nil before the first answer to the node, and after a restore.
    func batonTrail(of node: NodeID) throws -> BatonTrail? {
        try first(
            "SELECT current, previous, answered, number FROM baton WHERE node = ?",
            [.text(node.rawValue)]
        ) { row in
            BatonTrail(
                current: try row.text(0), previous: try row.optionalText(1),
                answered: try row.text(2).split(separator: " ").map { MutationID(String($0)) },
                number: try row.integer(3))
        }
    }
}

extension WriteSession {
    /// Far more than a device takes in its life; a bound for one that is out of its mind.
    private static let mostNodes: Int64 = 1_000

    /// Gives a node that nobody has to the device.
    ///
    /// - Parameter position: in the feed, up to which the device has pulled.
    func register(_ node: NodeID, of device: String, position: Int64) throws {
        guard try connection.owner(of: node) == nil else { return }
        let count = try connection.first(
            "SELECT count(*) FROM device_node WHERE device_id = ?", [.text(device)]
        ) { try $0.integer(0) }
        guard count ?? 0 < WriteSession.mostNodes else {
            throw ServerStoreError(.wrongNode, "the device has had too many nodes")
        }
        try connection.execute(
            """
            INSERT INTO device_node (node, device_id, registered_at, last_pull_at, pull_position)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                .text(node.rawValue), .text(device), .integer(now), .integer(now),
                .integer(position),
            ])
    }

    func save(_ trail: BatonTrail, of node: NodeID) throws {
        try connection.execute(
            """
            INSERT OR REPLACE INTO baton (node, current, previous, answered, answered_at, number)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .text(node.rawValue), .text(trail.current), DatabaseValue(trail.previous),
                .text(trail.answered.map(\.rawValue).joined(separator: " ")), .integer(now),
                .integer(trail.number),
            ])
    }
}
