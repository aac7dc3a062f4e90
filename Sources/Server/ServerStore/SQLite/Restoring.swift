internal import SQLite

/// What a backup holds, in few words.
package struct BackupReport: Sendable, Equatable {
    package let epoch: Int64
    /// Of the file.
    package let bytes: Int64
}

/// What came of a restore.
package struct RestoreReport: Sendable, Equatable {
    /// That has begun.
    package let epoch: Int64
    /// Names of devices that the backup did not know and the replaced database did.
    package let laterDevices: [String]
}

/// Devices that were revoked, and enrolment codes that were used: neither becomes good again because
/// a backup does not know of it yet.
package struct ClosedDoors: Sendable, Equatable {
    struct Device: Sendable, Equatable {
        let id: String
        let state: String
    }

    struct Code: Sendable, Equatable {
        let secretHash: [UInt8]
        let usedAt: Int64
        let device: String?
    }

    var devices: [Device] = []
    var codes: [Code] = []

    package init() {}

    init(devices: [Device], codes: [Code]) {
        self.devices = devices
        self.codes = codes
    }
}

extension WriteSession {
    fileprivate func shut(_ doors: ClosedDoors) throws {
        for device in doors.devices {
            try connection.execute(
                "UPDATE device SET state = ? WHERE id = ?", [.text(device.state), .text(device.id)])
        }
        for code in doors.codes {
            try connection.execute(
                """
                UPDATE enrolment_code SET used_at = ?, device_id = ?
                WHERE secret_hash = ? AND used_at IS NULL
                """,
                [.integer(code.usedAt), DatabaseValue(code.device), .blob(code.secretHash)])
        }
    }
}

extension SQLiteStore {
    /// Copies the database at `path`, as it stands at one instant, into one new file. Reads only, so
    /// that it may be done beside a server that writes.
    ///
    /// - Throws: also where `file` is there already, or the copy is damaged; no file is left then.
    package static func backUp(_ path: String, to file: String) throws -> BackupReport {
        let source = try Connection.open(path, mode: .readOnly)
        let report = Result { () throws -> BackupReport in
            let epoch = try requireStore(source, at: path)
            var bytes: Int64 = 0
            // The file gets its name when it is whole, and not before.
            let copy = try Connection.open(file, mode: .create) { copy in
                try source.copy(into: copy)
                try requireWhole(copy, from: path)
                bytes = try copy.fileSize().bytes
            }
            try copy.close()
            return BackupReport(epoch: epoch, bytes: bytes)
        }
        try source.close()
        return try report.get()
    }

    /// What the database whose place is taken has shut, so that a restore does not open it again.
    package static func closedDoors(of path: String) throws -> ClosedDoors {
        try looking(into: path) { connection in
            ClosedDoors(
                devices: try connection.query(
                    "SELECT id, state FROM device WHERE state <> 'active'"
                ) { ClosedDoors.Device(id: try $0.text(0), state: try $0.text(1)) },
                codes: try connection.query(
                    """
                    SELECT secret_hash, used_at, device_id FROM enrolment_code
                    WHERE used_at IS NOT NULL
                    """
                ) {
                    ClosedDoors.Code(
                        secretHash: try $0.blob(0), usedAt: try $0.integer(1),
                        device: try $0.optionalText(2))
                })
        }
    }

    /// The devices of the database whose place is taken.
    package static func laterDevices(of path: String) throws -> LaterDevices {
        try looking(into: path) { try LaterDevices(in: $0) }
    }

    private static func looking<Found>(
        into path: String, _ read: (Connection) throws -> Found
    ) throws -> Found {
        let connection = try Connection.open(path, mode: .readOnly)
        let found = Result { () throws -> Found in
            _ = try requireStore(connection, at: path)
            return try read(connection)
        }
        try connection.close()
        return try found.get()
    }

    /// Makes a copy of a backup ready to serve: brings it up to date and begins a new epoch.
    ///
    /// - Parameters:
    ///   - name: what people call the backup.
    ///   - replaced: the epoch of the database whose place it takes; nil where nobody knows.
    ///   - doors: what that database has shut.
    ///   - later: the devices that it has.
    package static func prepareRestored(
        _ path: String, named name: String, replacing replaced: Int64?,
        keeping doors: ClosedDoors = ClosedDoors(), adopting later: LaterDevices = LaterDevices(),
        _ environment: Environment
    ) throws -> RestoreReport {
        let connection: Connection
        do {
            connection = try Connection.open(path, mode: .readWrite)
        } catch let error as SQLiteError where error.isNotADatabase || error.reason == .truncated {
            throw notAStore(name)
        } catch let error as SQLiteError where error.reason == .pragma {
            throw ServerStoreError(
                .notAStore, "\(name) is no backup of walkdownd: 'walkdownd backup' makes one")
        } catch let error as SQLiteError where error.isCorrupt {
            throw ServerStoreError(.damaged, "the database in \(name) is damaged")
        }
        let report = Result { () throws -> RestoreReport in
            _ = try requireStore(connection, at: name)
            try requireWhole(connection, from: name)
            try Schema.bringUpToDate(connection)
            return try connection.transaction {
                let session = try WriteSession(
                    connection: connection, forms: FormShelf(), model: environment.model,
                    now: environment.now(), random: environment.random)
                try session.beginEpoch(notBelow: (replaced ?? 0) + 1)
                let names = try session.take(later)
                try session.shut(doors)
                // A person stands before the machine: its clock is as right as it will be.
                try session.noteClock()
                try session.finish()
                return RestoreReport(epoch: session.epoch, laterDevices: names)
            }
        }
        if case .success = report { try connection.checkpoint(.truncate) }
        try connection.close()
        return try report.get()
    }

    /// Brings everything that was committed into the one file, for a database that is put aside.
    ///
    /// - Returns: its epoch.
    package static func settle(_ path: String) throws -> Int64 {
        let connection = try Connection.open(path, mode: .readWrite)
        let epoch = Result { () throws -> Int64 in
            try connection.checkpoint(.truncate)
            return try requireStore(connection, at: path)
        }
        try connection.close()
        return try epoch.get()
    }

    /// - Returns: the epoch.
    private static func requireStore(_ connection: Connection, at path: String) throws -> Int64 {
        let tables = try connection.first(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('identity', 'schema_migration')"
        ) { try $0.integer(0) }
        guard tables == 2 else { throw notAStore(path) }
        return try connection.counters.epoch
    }

    private static func notAStore(_ path: String) -> ServerStoreError {
        ServerStoreError(.notAStore, "\(path) is no database of walkdownd")
    }

    private static func requireWhole(_ connection: Connection, from path: String) throws {
        guard let problem = try connection.integrityProblems(limit: 1).first else { return }
        throw ServerStoreError(
            .damaged, "the database in \(path) is damaged: \(problem)")
    }
}
