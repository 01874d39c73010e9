#ifndef CADASTRE_CSQLITE_SHIM_H
#define CADASTRE_CSQLITE_SHIM_H

#include <sqlite3.h>

/* sqlite3_db_config is variadic, which Swift cannot call; every option used here takes (int, int *). */
static inline int cadastre_sqlite3_db_config(sqlite3 *db, int option, int value, int *now) {
  return sqlite3_db_config(db, option, value, now);
}

/* The SQLITE_TRANSIENT and SQLITE_STATIC macros cast integers to function pointers; Swift does not import those. */
static inline int cadastre_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int cadastre_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* The error of the system behind the last one of a file: of the database, or of its log. SQLite's own answer, sqlite3_system_errno,
   is what the undoing of a failed write has left. */
static inline int cadastre_sqlite3_file_errno(sqlite3 *db, int of_log) {
  int error = 0;
  if (!of_log) {
    sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
  }
  sqlite3_file *log = 0;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (log && log->pMethods) log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
  return error;
}

#endif
