#ifndef CADASTRE_CPOSTGRESQL_H
#define CADASTRE_CPOSTGRESQL_H

/*
 * The functions of libpq 5 that Cadastre calls. Source: the documentation of PostgreSQL 15, chapter 34; the types and
 * numbers are part of the binary interface of libpq.so.5 and do not change.
 *
 * The library is loaded when the first connection is opened, because it brings some twenty others with it (TLS,
 * Kerberos, LDAP), whose loading takes longer than a short command on a store. Programs without connections need it
 * neither when they are built nor when they run.
 */

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
typedef struct pg_cancel PGcancel;
/* An option of a connection; an array of them ends with a keyword of NULL. */
typedef struct _PQconninfoOption {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} PQconninfoOption;
typedef unsigned int Oid;

typedef enum {
  PGRES_EMPTY_QUERY = 0,
  PGRES_COMMAND_OK = 1,
  PGRES_TUPLES_OK = 2,
  PGRES_COPY_OUT = 3,
  PGRES_COPY_IN = 4,
  PGRES_COPY_BOTH = 8,
  PGRES_SINGLE_TUPLE = 9
} ExecStatusType;

typedef enum { CONNECTION_OK = 0, CONNECTION_BAD = 1 } ConnStatusType;

typedef enum { PQTRANS_IDLE = 0 } PGTransactionStatusType;

/* The function that gets the notices of a connection, and its argument. */
typedef void (*PQnoticeReceiver)(void *arg, const PGresult *res);

/* The fields of an error or a notice; the severity is not translated. */
static const int cadastre_pg_diag_severity = 'V';
static const int cadastre_pg_diag_sqlstate = 'C';
static const int cadastre_pg_diag_message_primary = 'M';
static const int cadastre_pg_diag_message_detail = 'D';

/* Loads libpq, once. Returns NULL, or a message if the library is missing; no other function may be called then. */
const char *cadastre_pg_load(void);

int PQcancel(PGcancel *cancel, char *errbuf, int errbufsize);
void PQclear(PGresult *res);
char *PQcmdTuples(PGresult *res);
PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname);
void PQconninfoFree(PQconninfoOption *connOptions);
PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg);
int PQconsumeInput(PGconn *conn);
char *PQerrorMessage(const PGconn *conn);
void PQfinish(PGconn *conn);
int PQflush(PGconn *conn);
char *PQfname(const PGresult *res, int field_num);
void PQfreeCancel(PGcancel *cancel);
void PQfreemem(void *ptr);
Oid PQftype(const PGresult *res, int field_num);
PGcancel *PQgetCancel(PGconn *conn);
int PQgetCopyData(PGconn *conn, char **buffer, int async);
PGresult *PQgetResult(PGconn *conn);
int PQgetisnull(const PGresult *res, int tup_num, int field_num);
int PQgetlength(const PGresult *res, int tup_num, int field_num);
char *PQgetvalue(const PGresult *res, int tup_num, int field_num);
int PQisBusy(PGconn *conn);
int PQnfields(const PGresult *res);
int PQntuples(const PGresult *res);
int PQputCopyData(PGconn *conn, const char *buffer, int nbytes);
int PQputCopyEnd(PGconn *conn, const char *errormsg);
void PQreset(PGconn *conn);
char *PQresultErrorField(const PGresult *res, int fieldcode);
ExecStatusType PQresultStatus(const PGresult *res);
int PQsendQueryParams(PGconn *conn, const char *command, int nParams, const Oid *paramTypes, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat);
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg);
int PQsetSingleRowMode(PGconn *conn);
int PQsetnonblocking(PGconn *conn, int arg);
int PQsocket(const PGconn *conn);
ConnStatusType PQstatus(const PGconn *conn);
PGTransactionStatusType PQtransactionStatus(const PGconn *conn);

#endif
