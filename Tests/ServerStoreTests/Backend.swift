import Crypto
import Replication
import ServerStore
import TestSupport
import Testing

/// The databases that the conformance suite runs on. Another one joins by its case here.
enum Backend: CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite

    var testDescription: String { "SQLite" }

    func make(
        in folder: TemporaryFolder, clock: FixedClock, queueLimit: Int = 256,
        model: RecordModel = .current
    ) throws -> any Store {
        switch self {
        case .sqlite:
            try SQLiteStore.create(
                at: folder.file("server.db"),
                SQLiteStore.Environment(now: clock.reading, queueLimit: queueLimit, model: model))
        }
    }

    func reopen(
        in folder: TemporaryFolder, clock: FixedClock, model: RecordModel = .current
    ) throws -> any Store {
        switch self {
        case .sqlite:
            try SQLiteStore.open(
                at: folder.file("server.db"),
                SQLiteStore.Environment(now: clock.reading, model: model))
        }
    }
}
