import Replication
import SQLite

/// What versions the records had when each of the server's epochs began, as the run saw it. A server
/// that is restored remembers those that its backup knew.
struct ServerEpochs {
    private var epochs: [(number: Int64, versions: [RecordID: Int64])] = []

    /// The server has begun an epoch, and holds these.
    mutating func begin(_ versions: [RecordID: Int64], _ reader: Connection) throws {
        epochs.append((try reader.serverEpoch(), versions))
    }

    /// How far versions can be believed that a device names with this `pullPosition`.
    func standpoint(of position: String?) -> Standing {
        guard let position, let current = epochs.last?.number else { return .current }
        let named = position.split(separator: ".").first.flatMap { Int64($0, radix: 36) }
        guard let named, position.contains(".") else { return .unknown }
        if named == current { return .current }
        guard epochs.contains(where: { $0.number == named }),
            let next = epochs.first(where: { $0.number > named })
        else { return .unknown }
        return .earlier(next.versions)
    }

    enum Standing {
        case current
        /// With what the records had when the next epoch began.
        case earlier([RecordID: Int64])
        case unknown

        /// A version that the server takes the device to have seen.
        func believed(_ base: Int64, of record: RecordID, at version: Int64) -> Int64 {
            switch self {
            case .current: base > version ? 0 : base
            case .earlier(let versions): min(base, versions[record] ?? 0)
            case .unknown: 0
            }
        }
    }
}

extension Connection {
    fileprivate func serverEpoch() throws -> Int64 {
        try first("SELECT value FROM identity WHERE name = 'epoch'") { try $0.integer(0) } ?? 0
    }
}
