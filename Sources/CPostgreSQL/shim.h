#ifndef CADASTRE_CPOSTGRESQL_SHIM_H
#define CADASTRE_CPOSTGRESQL_SHIM_H

#include <libpq-fe.h>

/* Swift does not import the macros for the fields of an error: PG_DIAG_SQLSTATE and others are character literals. */
static const int cadastre_pg_diag_sqlstate = PG_DIAG_SQLSTATE;
static const int cadastre_pg_diag_message_primary = PG_DIAG_MESSAGE_PRIMARY;
static const int cadastre_pg_diag_message_detail = PG_DIAG_MESSAGE_DETAIL;

#endif
