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

#endif
