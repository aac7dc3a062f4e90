import Coding
import Replication
import SQLite

@testable import LocalStore

extension StoryServer {
    /// A server that has exactly what the device knows to be confirmed, as after its last pull.
    convenience init(holding device: Device) throws {
        self.init()
        let cursor = try device.store.position().cursor ?? "0"
        adopt(
            try device.confirmedRecords(), position: Int(cursor) ?? 0,
            lamport: try device.store.position().lamport)
    }
}

extension Device {
    /// What the server has confirmed: the shadow where there is one, else the field.
    func confirmedRecords() throws -> [RecordState] {
        try store.read { database in
            let records = try database.query(
                """
                SELECT id, table_name, parent_id, version, digest IS NULL FROM record
                WHERE version > 0
                """
            ) { row in
                (
                    state: RecordState(
                        table: try row.text(1), id: RecordID(try row.text(0)),
                        parent: try row.optionalText(2).map { RecordID($0) },
                        version: try row.integer(3)),
                    isDeleted: try row.flag(4)
                )
            }
            return try records.map { record in
                var state = record.state
                let fields = try database.query(Self.confirmedFields, [.text(state.id.rawValue)]) {
                    (
                        try $0.text(0),
                        FieldRegister(
                            value: try $0.fieldValue(1),
                            stamp: Stamp(
                                lamport: try $0.integer(2), node: NodeID(try $0.text(3))),
                            version: try $0.integer(4))
                    )
                }
                state.fields = Dictionary(uniqueKeysWithValues: fields)
                if record.isDeleted {
                    state.fields[Mutation.deletedField] = FieldRegister(
                        value: .integer(1), stamp: Stamp(lamport: 0, node: "node-b"),
                        version: state.version)
                }
                return state
            }
        }
    }

    private static let confirmedFields = """
        SELECT name, value, lamport, node, version FROM __sync_shadow
        WHERE record_id = ?1 AND present = 1
        UNION ALL
        SELECT name, value, lamport, node, version FROM field
        WHERE record_id = ?1 AND version > 0 AND name NOT IN (
            SELECT name FROM __sync_shadow WHERE record_id = ?1)
        """
}
