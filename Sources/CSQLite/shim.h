#ifndef CADASTRE_CSQLITE_SHIM_H
#define CADASTRE_CSQLITE_SHIM_H

#include <sqlite3.h>

/* Swift cannot call variadic functions such as sqlite3_db_config. All options used here take (int, int *). */
static inline int cadastre_sqlite3_db_config(sqlite3 *db, int option, int value, int *now) {
  return sqlite3_db_config(db, option, value, now);
}

/* Fails after SQLite was initialized. */
static inline int cadastre_sqlite3_config(int option, int value) {
  return sqlite3_config(option, value);
}

/* Swift does not import the macro SQLITE_TRANSIENT, which casts an integer to a function pointer. */
static inline int cadastre_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int cadastre_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline void cadastre_sqlite3_result_text(sqlite3_context *context, const char *bytes, int count) {
  sqlite3_result_text(context, bytes, count, SQLITE_TRANSIENT);
}

static inline void cadastre_sqlite3_result_blob(sqlite3_context *context, const void *bytes, int count) {
  sqlite3_result_blob(context, bytes, count, SQLITE_TRANSIENT);
}

/* The bytes must stay valid until another value is bound or the statement is finalized. */
static inline int cadastre_sqlite3_bind_owned_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_STATIC);
}

static inline int cadastre_sqlite3_bind_owned_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}

/* Returns the errno of the last failed operation on the database file or, if of_log is not 0, on its write-ahead log.
   sqlite3_system_errno is no substitute: the rollback of a failed write overwrites it. */
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
