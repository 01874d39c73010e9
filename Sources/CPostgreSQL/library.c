#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* The functions of libpq that Swift calls, forwarded to the library once it is loaded. */
static struct {
  int (*PQcancel)(PGcancel *cancel, char *errbuf, int errbufsize);
  void (*PQclear)(PGresult *res);
  char *(*PQcmdTuples)(PGresult *res);
  PGconn *(*PQconnectStartParams)(const char *const *keywords, const char *const *values, int expand_dbname);
  void (*PQconninfoFree)(PQconninfoOption *connOptions);
  PQconninfoOption *(*PQconninfoParse)(const char *conninfo, char **errmsg);
  int (*PQconsumeInput)(PGconn *conn);
  char *(*PQerrorMessage)(const PGconn *conn);
  void (*PQfinish)(PGconn *conn);
  int (*PQflush)(PGconn *conn);
  char *(*PQfname)(const PGresult *res, int field_num);
  void (*PQfreeCancel)(PGcancel *cancel);
  void (*PQfreemem)(void *ptr);
  Oid (*PQftype)(const PGresult *res, int field_num);
  PGcancel *(*PQgetCancel)(PGconn *conn);
  int (*PQgetCopyData)(PGconn *conn, char **buffer, int async);
  PGresult *(*PQgetResult)(PGconn *conn);
  int (*PQgetisnull)(const PGresult *res, int tup_num, int field_num);
  int (*PQgetlength)(const PGresult *res, int tup_num, int field_num);
  char *(*PQgetvalue)(const PGresult *res, int tup_num, int field_num);
  int (*PQisBusy)(PGconn *conn);
  int (*PQnfields)(const PGresult *res);
  int (*PQntuples)(const PGresult *res);
  int (*PQputCopyData)(PGconn *conn, const char *buffer, int nbytes);
  int (*PQputCopyEnd)(PGconn *conn, const char *errormsg);
  void (*PQreset)(PGconn *conn);
  char *(*PQresultErrorField)(const PGresult *res, int fieldcode);
  ExecStatusType (*PQresultStatus)(const PGresult *res);
  int (*PQsendQueryParams)(PGconn *conn, const char *command, int nParams, const Oid *paramTypes, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat);
  PQnoticeReceiver (*PQsetNoticeReceiver)(PGconn *conn, PQnoticeReceiver proc, void *arg);
  int (*PQsetSingleRowMode)(PGconn *conn);
  int (*PQsetnonblocking)(PGconn *conn, int arg);
  int (*PQsocket)(const PGconn *conn);
  ConnStatusType (*PQstatus)(const PGconn *conn);
  PGTransactionStatusType (*PQtransactionStatus)(const PGconn *conn);
} library;

static char message[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

#ifdef __APPLE__
static const char *const names[] = {"libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
                                    "/usr/local/opt/libpq/lib/libpq.5.dylib"};
#else
static const char *const names[] = {"libpq.so.5"};
#endif

static void *symbol(void *handle, const char *name) {
  void *found = dlsym(handle, name);
  if (!found && !message[0]) snprintf(message, sizeof message, "libpq has no function %s", name);
  return found;
}

static void load(void) {
  void *handle = NULL;
  for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
    handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(message, sizeof message, "the library libpq is not installed (package libpq5)");
    return;
  }
#define LOAD(name) *(void **)&library.name = symbol(handle, #name)
  LOAD(PQcancel);
  LOAD(PQclear);
  LOAD(PQcmdTuples);
  LOAD(PQconnectStartParams);
  LOAD(PQconninfoFree);
  LOAD(PQconninfoParse);
  LOAD(PQconsumeInput);
  LOAD(PQerrorMessage);
  LOAD(PQfinish);
  LOAD(PQflush);
  LOAD(PQfname);
  LOAD(PQfreeCancel);
  LOAD(PQfreemem);
  LOAD(PQftype);
  LOAD(PQgetCancel);
  LOAD(PQgetCopyData);
  LOAD(PQgetResult);
  LOAD(PQgetisnull);
  LOAD(PQgetlength);
  LOAD(PQgetvalue);
  LOAD(PQisBusy);
  LOAD(PQnfields);
  LOAD(PQntuples);
  LOAD(PQputCopyData);
  LOAD(PQputCopyEnd);
  LOAD(PQreset);
  LOAD(PQresultErrorField);
  LOAD(PQresultStatus);
  LOAD(PQsendQueryParams);
  LOAD(PQsetNoticeReceiver);
  LOAD(PQsetSingleRowMode);
  LOAD(PQsetnonblocking);
  LOAD(PQsocket);
  LOAD(PQstatus);
  LOAD(PQtransactionStatus);
#undef LOAD
}

const char *cadastre_pg_load(void) {
  pthread_once(&once, load);
  return message[0] ? message : NULL;
}

int PQcancel(PGcancel *cancel, char *errbuf, int errbufsize) { return library.PQcancel(cancel, errbuf, errbufsize); }
void PQclear(PGresult *res) { library.PQclear(res); }
char *PQcmdTuples(PGresult *res) { return library.PQcmdTuples(res); }
PGconn *PQconnectStartParams(const char *const *keywords, const char *const *values, int expand_dbname) { return library.PQconnectStartParams(keywords, values, expand_dbname); }
void PQconninfoFree(PQconninfoOption *connOptions) { library.PQconninfoFree(connOptions); }
PQconninfoOption *PQconninfoParse(const char *conninfo, char **errmsg) { return library.PQconninfoParse(conninfo, errmsg); }
int PQconsumeInput(PGconn *conn) { return library.PQconsumeInput(conn); }
char *PQerrorMessage(const PGconn *conn) { return library.PQerrorMessage(conn); }
void PQfinish(PGconn *conn) { library.PQfinish(conn); }
int PQflush(PGconn *conn) { return library.PQflush(conn); }
char *PQfname(const PGresult *res, int field_num) { return library.PQfname(res, field_num); }
void PQfreeCancel(PGcancel *cancel) { library.PQfreeCancel(cancel); }
void PQfreemem(void *ptr) { library.PQfreemem(ptr); }
Oid PQftype(const PGresult *res, int field_num) { return library.PQftype(res, field_num); }
PGcancel *PQgetCancel(PGconn *conn) { return library.PQgetCancel(conn); }
int PQgetCopyData(PGconn *conn, char **buffer, int async) { return library.PQgetCopyData(conn, buffer, async); }
PGresult *PQgetResult(PGconn *conn) { return library.PQgetResult(conn); }
int PQgetisnull(const PGresult *res, int tup_num, int field_num) { return library.PQgetisnull(res, tup_num, field_num); }
int PQgetlength(const PGresult *res, int tup_num, int field_num) { return library.PQgetlength(res, tup_num, field_num); }
char *PQgetvalue(const PGresult *res, int tup_num, int field_num) { return library.PQgetvalue(res, tup_num, field_num); }
int PQisBusy(PGconn *conn) { return library.PQisBusy(conn); }
int PQnfields(const PGresult *res) { return library.PQnfields(res); }
int PQntuples(const PGresult *res) { return library.PQntuples(res); }
int PQputCopyData(PGconn *conn, const char *buffer, int nbytes) { return library.PQputCopyData(conn, buffer, nbytes); }
int PQputCopyEnd(PGconn *conn, const char *errormsg) { return library.PQputCopyEnd(conn, errormsg); }
void PQreset(PGconn *conn) { library.PQreset(conn); }
char *PQresultErrorField(const PGresult *res, int fieldcode) { return library.PQresultErrorField(res, fieldcode); }
ExecStatusType PQresultStatus(const PGresult *res) { return library.PQresultStatus(res); }
int PQsendQueryParams(PGconn *conn, const char *command, int nParams, const Oid *paramTypes, const char *const *paramValues, const int *paramLengths, const int *paramFormats, int resultFormat) { return library.PQsendQueryParams(conn, command, nParams, paramTypes, paramValues, paramLengths, paramFormats, resultFormat); }
PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg) { return library.PQsetNoticeReceiver(conn, proc, arg); }
int PQsetSingleRowMode(PGconn *conn) { return library.PQsetSingleRowMode(conn); }
int PQsetnonblocking(PGconn *conn, int arg) { return library.PQsetnonblocking(conn, arg); }
int PQsocket(const PGconn *conn) { return library.PQsocket(conn); }
ConnStatusType PQstatus(const PGconn *conn) { return library.PQstatus(conn); }
PGTransactionStatusType PQtransactionStatus(const PGconn *conn) { return library.PQtransactionStatus(conn); }
