internal import Inspections

/// Kept apart from the queries: `Inspections` brings `Forms` along, whose `Verdict` is not the one
/// of the protocol.
enum AssetNaming {
    static func name(id: String, tag: String?, title: String?, serial: String?) -> String {
        Asset(id: id, tag: tag, title: title, serial: serial).name
    }
}
