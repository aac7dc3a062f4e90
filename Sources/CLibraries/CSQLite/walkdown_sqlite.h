#pragma once
// The API that SQLCipher and SQLite share. On Debian 12 this header is SQLite 3.15.2's, so that
// nothing newer compiles by mistake. No link line here: the program chooses its library.
#include <sqlcipher/sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite takes its own copy of the bytes.
static inline int walkdown_sqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int walkdown_sqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void walkdown_sqlite_result_text(
    sqlite3_context *context, const char *bytes, int count) {
    sqlite3_result_text(context, bytes, count, SQLITE_TRANSIENT);
}

static inline void walkdown_sqlite_result_blob(
    sqlite3_context *context, const void *bytes, int count) {
    sqlite3_result_blob(context, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_config is variadic, which Swift does not import. To be called before any other use.
static inline int walkdown_sqlite_stop_counting_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
