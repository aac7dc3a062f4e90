internal import CSQLite

extension Connection {
    /// Copies the whole database, as one snapshot shows it, over what `target` holds. Others may
    /// write meanwhile: in WAL mode a reader disturbs nobody.
    package func copy(into target: Connection) throws(SQLiteError) {
        guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
            throw SQLiteError(sqlite3_errcode(target.handle), on: target.handle)
        }
        // All pages in one step: between two steps another connection's write would start it anew.
        let step = sqlite3_backup_step(backup, -1)
        // "If sqlite3_backup_step() fails, the error is also that of sqlite3_backup_finish()".
        let finish = sqlite3_backup_finish(backup)
        guard step == SQLITE_DONE, finish == SQLITE_OK else {
            throw SQLiteError(finish == SQLITE_OK ? step : finish, on: target.handle)
        }
    }
}
