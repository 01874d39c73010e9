/* Calls of the system that fail on command, for Scripts/torture.

   Scripts/torture compiles this file into a shared object and loads it with LD_PRELOAD, so that it is
   under SQLite, Foundation and every file that a program writes itself. The other side is
   Tests/TortureRun/Faults/FaultControl.swift: both map one control file, whose layout is `struct control`.
   Only files below the folder `root` are counted, failed and recorded. All calls go to the kernel
   directly, so that nothing here calls itself.

   The interposer also counts the writes that copy the log of a store into its file, or restart the log,
   without the lock of the store's writers: SQLite up to 3.51.2 can lose commits where two processes do so
   at the same time. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, SYNC, TRUNCATE, LOCK, RENAME, UNLINK, MAP, MAKE };

/* Values of `fault` above all error numbers. */
enum { SHORT = 1000, KILL = 1001, TORN_KILL = 1002 };

struct control {
  _Atomic int64_t armed;    /* 1 while calls are counted and failed */
  int64_t kinds;            /* a bit for each kind that is counted */
  int64_t nth;              /* the call that fails, from 1 */
  int64_t fault;            /* an error number, or one of those above */
  int64_t forever;          /* 1: later calls fail too */
  _Atomic int64_t count;    /* calls so far */
  _Atomic int64_t fired;    /* calls that failed so far */
  _Atomic int64_t recording;/* 1 while changes are appended to the file `record` */
  _Atomic int64_t clock;    /* seconds that are added to the time of day */
  _Atomic int64_t guarded;  /* writes to a store, or to the header of its log, under its lock */
  _Atomic int64_t unguarded;/* such writes without the lock */
  char root[512];
  char record[512];
  char last[512];           /* kind and path of the first call that failed */
  char breach[512];         /* kind and path of the first unguarded write */
};

/* A change in the file `record`, before `path` and `data`. */
struct change {
  int64_t kind;
  int64_t inode;
  int64_t offset;   /* of a write; the size of a truncation; the acknowledged commit of a mark */
  int64_t path;     /* bytes of the path */
  int64_t length;   /* bytes of the data; of the second path of a rename */
};

static struct control *control;
static int record_file = -1;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define DESCRIPTORS 4096
static _Atomic char watched[DESCRIPTORS];

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("CADASTRE_TORTURE_CONTROL");
  if (!path) return;
  int file = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (file < 0) abort();
  void *bytes = (void *)syscall(
    SYS_mmap, NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
  if (bytes == MAP_FAILED) abort();
  syscall(SYS_close, file);
  control = bytes;
}

static int is_below_root(const char *path) {
  if (!control || !path) return 0;
  size_t length = strlen(control->root);
  return length > 0 && strncmp(path, control->root, length) == 0;
}

static int is_watched(int file) { return file >= 0 && file < DESCRIPTORS && watched[file]; }

static void watch(int file, int is_on) {
  if (file >= 0 && file < DESCRIPTORS) watched[file] = is_on;
}

static void note(char *text, enum kind kind, const char *path, int file) {
  static const char *names[] = { "open", "read", "write", "sync", "truncate", "lock", "rename",
                                 "unlink", "mmap", "mkdir" };
  char link[64], target[400] = "";
  if (!path) {
    char digits[16];
    int count = 0, rest = file;
    do digits[count++] = '0' + rest % 10; while (rest /= 10);
    strcpy(link, "/proc/self/fd/");
    char *end = link + strlen(link);
    while (count) *end++ = digits[--count];
    *end = 0;
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    target[length < 0 ? 0 : length] = 0;
    path = target;
  }
  strcpy(text, names[kind]);
  strcat(text, " ");
  size_t root = strlen(control->root);
  strncat(text, strlen(path) > root ? path + root : path, 400);
}

/* Counts a call; returns the fault that it must have, 0 for none. */
static int fault(enum kind kind, const char *path, int file) {
  if (!control || !control->armed || !(control->kinds >> kind & 1)) return 0;
  int64_t number = atomic_fetch_add(&control->count, 1) + 1;
  if (control->forever ? number < control->nth : number != control->nth) return 0;
  if (atomic_fetch_add(&control->fired, 1) == 0)
    note(control->last, kind, path, file);
  if (control->fault == KILL) {
    syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    for (;;) syscall(SYS_pause);
  }
  return (int)control->fault;
}

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

/* The fault of a call that transfers no bytes: an error number, or 0. */
static int plain_fault(enum kind kind, const char *path, int file) {
  int code = fault(kind, path, file);
  if (code == TORN_KILL) die();
  return code >= SHORT ? 0 : code;
}

static int fail(int code) {
  errno = code;
  return -1;
}

/* Recording */

static int is_recording(void) { return control && control->recording; }

static void append(int64_t kind, int64_t inode, int64_t offset, const char *path, const void *data,
                   int64_t length) {
  if (record_file < 0) {
    record_file = syscall(SYS_openat, AT_FDCWD, control->record,
                          O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (record_file < 0) abort();
  }
  struct change change = { kind, inode, offset, path ? (int64_t)strlen(path) : 0, length };
  if (syscall(SYS_write, record_file, &change, sizeof change) != sizeof change) abort();
  if (change.path && syscall(SYS_write, record_file, path, change.path) != change.path) abort();
  if (length && syscall(SYS_write, record_file, data, length) != length) abort();
}

static int64_t inode(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? (int64_t)status.st_ino : 0;
}

/* Appends the number of an acknowledged commit; TortureRun finds this function with dlsym. */
void cadastre_torture_mark(int64_t commit) {
  if (!is_recording()) return;
  pthread_mutex_lock(&mutex);
  append(100, 0, commit, NULL, NULL, 0);
  pthread_mutex_unlock(&mutex);
}

/* The lock of a store's writers */

enum part { OTHER, STORE, LOG, WRITERS_LOCK };

/* What an open file is to a store, and the path of the store. */
static struct {
  enum part part;
  int is_locked;
  char store[512];
} uses[DESCRIPTORS];
static pthread_mutex_t uses_mutex = PTHREAD_MUTEX_INITIALIZER;

static void note_use(int file, const char *path) {
  static const struct { const char *suffix; enum part part; } parts[] = {
    { ".cadastre", STORE }, { ".cadastre-wal", LOG }, { ".cadastre-lock", WRITERS_LOCK }
  };
  static const char extension[] = ".cadastre";
  if (file < 0 || file >= DESCRIPTORS) return;
  pthread_mutex_lock(&uses_mutex);
  uses[file].part = OTHER;
  uses[file].is_locked = 0;
  size_t length = path ? strlen(path) : 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t suffix = strlen(parts[i].suffix);
    if (length < suffix || length >= sizeof uses->store) continue;
    if (strcmp(path + length - suffix, parts[i].suffix) != 0) continue;
    size_t store = length - suffix + sizeof extension - 1;
    memcpy(uses[file].store, path, store);
    uses[file].store[store] = 0;
    uses[file].part = parts[i].part;
  }
  pthread_mutex_unlock(&uses_mutex);
}

static void note_lock(int file, int is_locked) {
  if (file < 0 || file >= DESCRIPTORS) return;
  pthread_mutex_lock(&uses_mutex);
  uses[file].is_locked = is_locked;
  pthread_mutex_unlock(&uses_mutex);
}

/* Counts a write that copies or restarts a log, with the lock or without it. */
static void check_lock(int file, int64_t offset) {
  /* SQLite writes at offsets; a write without one belongs to a copy that a campaign makes. */
  if (!control || offset < 0 || file < 0 || file >= DESCRIPTORS) return;
  enum part part = uses[file].part;
  if (part != STORE && !(part == LOG && offset == 0)) return;
  int is_locked = 0;
  char lock[sizeof uses->store + 8];
  pthread_mutex_lock(&uses_mutex);
  for (int i = 0; i < DESCRIPTORS && !is_locked; i++)
    is_locked = uses[i].part == WRITERS_LOCK && uses[i].is_locked
      && strcmp(uses[i].store, uses[file].store) == 0;
  strcpy(lock, uses[file].store);
  pthread_mutex_unlock(&uses_mutex);
  strcat(lock, "-lock");
  if (is_locked) atomic_fetch_add(&control->guarded, 1);
  /* A file without a lock beside it is a copy that nobody has opened yet. */
  else if (syscall(SYS_faccessat, AT_FDCWD, lock, F_OK) == 0
           && atomic_fetch_add(&control->unguarded, 1) == 0)
    note(control->breach, WRITE, NULL, file);
}

/* Files */

static int open_at(int folder, const char *path, int flags, mode_t mode) {
  int is_ours = is_below_root(path);
  if (!is_ours) {
    int file = syscall(SYS_openat, folder, path, flags, mode);
    watch(file, 0);
    note_use(file, NULL);
    return file;
  }
  int code = plain_fault(OPEN, path, -1);
  if (code) return fail(code);
  int is_recorded = is_recording();
  if (is_recorded) pthread_mutex_lock(&mutex);
  int is_new = is_recorded && (flags & O_CREAT)
    && syscall(SYS_faccessat, folder, path, F_OK) != 0;
  int file = syscall(SYS_openat, folder, path, flags, mode);
  int error = errno;
  watch(file, file >= 0);
  note_use(file, path);
  if (is_recorded) {
    if (file >= 0 && is_new) append(OPEN, inode(file), 0, path, NULL, 0);
    if (file >= 0 && !is_new && (flags & O_TRUNC)) append(TRUNCATE, inode(file), 0, NULL, NULL, 0);
    pthread_mutex_unlock(&mutex);
  }
  errno = error;
  return file;
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_at(folder, path, flags, mode);
}

int close(int file) {
  watch(file, 0);
  note_use(file, NULL);
  return syscall(SYS_close, file);
}

static ssize_t read_at(int file, void *bytes, size_t count, int64_t offset) {
  if (is_watched(file)) {
    int code = fault(READ, NULL, file);
    if (code == TORN_KILL) die();
    if (code == SHORT) count = count > 1 ? count / 2 : count;
    else if (code) return fail(code);
  }
  return offset < 0 ? syscall(SYS_read, file, bytes, count)
                    : syscall(SYS_pread64, file, bytes, count, offset);
}

ssize_t read(int file, void *bytes, size_t count) { return read_at(file, bytes, count, -1); }

ssize_t pread(int file, void *bytes, size_t count, off_t offset) {
  return read_at(file, bytes, count, offset);
}

ssize_t pread64(int file, void *bytes, size_t count, off64_t offset) {
  return read_at(file, bytes, count, offset);
}

static ssize_t write_at(int file, const void *bytes, size_t count, int64_t offset) {
  int is_torn = 0;
  if (is_watched(file)) {
    int code = fault(WRITE, NULL, file);
    is_torn = code == TORN_KILL;
    if (is_torn || code == SHORT) count = count > 1 ? count / 2 : count;
    else if (code) return fail(code);
    check_lock(file, offset);
  }
  int is_recorded = is_watched(file) && is_recording();
  if (is_recorded) pthread_mutex_lock(&mutex);
  int64_t start = offset;
  if (is_recorded && offset < 0)
    start = fcntl(file, F_GETFL) & O_APPEND ? syscall(SYS_lseek, file, 0, SEEK_END)
                                            : syscall(SYS_lseek, file, 0, SEEK_CUR);
  ssize_t written = offset < 0 ? syscall(SYS_write, file, bytes, count)
                               : syscall(SYS_pwrite64, file, bytes, count, offset);
  int error = errno;
  if (is_recorded) {
    if (written > 0) append(WRITE, inode(file), start, NULL, bytes, written);
    pthread_mutex_unlock(&mutex);
  }
  if (is_torn) die();
  errno = error;
  return written;
}

ssize_t write(int file, const void *bytes, size_t count) {
  return write_at(file, bytes, count, -1);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  return write_at(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return write_at(file, bytes, count, offset);
}

ssize_t sendfile(int target, int source, off_t *offset, size_t count) {
  if (is_watched(target)) {
    int code = plain_fault(WRITE, NULL, target);
    if (code) return fail(code);
  }
  return syscall(SYS_sendfile, target, source, offset, count);
}

static int synchronize(int file, long call) {
  if (!is_watched(file)) return syscall(call, file);
  int code = plain_fault(SYNC, NULL, file);
  if (code) return fail(code);
  if (!is_recording()) return syscall(call, file);
  /* The medium of the recorded files is the record. */
  pthread_mutex_lock(&mutex);
  append(SYNC, inode(file), 0, NULL, NULL, 0);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int fsync(int file) { return synchronize(file, SYS_fsync); }
int fdatasync(int file) { return synchronize(file, SYS_fdatasync); }

static int truncate_file(int file, int64_t size) {
  if (is_watched(file)) {
    int code = plain_fault(TRUNCATE, NULL, file);
    if (code) return fail(code);
  }
  int is_recorded = is_watched(file) && is_recording();
  if (is_recorded) pthread_mutex_lock(&mutex);
  int result = syscall(SYS_ftruncate, file, size);
  if (is_recorded) {
    if (result == 0) append(TRUNCATE, inode(file), size, NULL, NULL, 0);
    pthread_mutex_unlock(&mutex);
  }
  return result;
}

int ftruncate(int file, off_t size) { return truncate_file(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_file(file, size); }

/* Locks */

int flock(int file, int operation) {
  if (is_watched(file) && !(operation & LOCK_UN)) {
    int code = plain_fault(LOCK, NULL, file);
    if (code) return fail(code);
  }
  int result = syscall(SYS_flock, file, operation);
  int error = errno;
  if (result == 0) note_lock(file, !(operation & LOCK_UN));
  errno = error;
  return result;
}

static int control_file(int file, int command, void *argument) {
  if (is_watched(file) && (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK)
      && ((struct flock *)argument)->l_type != F_UNLCK) {
    int code = plain_fault(LOCK, NULL, file);
    if (code) return fail(code);
  }
  int result = syscall(SYS_fcntl, file, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) watch(result, is_watched(file));
  return result;
}

int fcntl(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control_file(file, command, argument);
}

int fcntl64(int file, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return control_file(file, command, argument);
}

/* Names */

static int change_name(enum kind kind, const char *from, const char *to, long call, int flags) {
  int is_ours = is_below_root(from) || is_below_root(to);
  if (is_ours) {
    int code = plain_fault(kind, from, -1);
    if (code) return fail(code);
  }
  int is_recorded = is_ours && is_recording();
  if (is_recorded) pthread_mutex_lock(&mutex);
  int result = call == SYS_linkat ? syscall(call, AT_FDCWD, from, AT_FDCWD, to, flags)
             : call == SYS_renameat ? syscall(call, AT_FDCWD, from, AT_FDCWD, to)
             : syscall(SYS_unlinkat, AT_FDCWD, from, flags);
  int error = errno;
  if (is_recorded) {
    /* The offset tells a link from a rename. */
    if (result == 0)
      append(kind, 0, call == SYS_linkat, from, to, to ? (int64_t)strlen(to) : 0);
    pthread_mutex_unlock(&mutex);
  }
  errno = error;
  return result;
}

int rename(const char *from, const char *to) { return change_name(RENAME, from, to, SYS_renameat, 0); }
int link(const char *from, const char *to) { return change_name(RENAME, from, to, SYS_linkat, 0); }
int unlink(const char *path) { return change_name(UNLINK, path, NULL, SYS_unlinkat, 0); }
int rmdir(const char *path) { return change_name(UNLINK, path, NULL, SYS_unlinkat, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode) {
  if (is_below_root(path)) {
    int code = plain_fault(MAKE, path, -1);
    if (code) return fail(code);
  }
  return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

char *mkdtemp(char *pattern) {
  static char *(*real)(char *);
  if (is_below_root(pattern)) {
    int code = plain_fault(MAKE, pattern, -1);
    if (code) {
      errno = code;
      return NULL;
    }
  }
  if (!real) real = (char *(*)(char *))dlsym(RTLD_NEXT, "mkdtemp");
  return real(pattern);
}

/* Memory */

static void *map(void *address, size_t length, int protection, int flags, int file, int64_t offset) {
  if (is_watched(file)) {
    int code = plain_fault(MAP, NULL, file);
    if (code) {
      errno = code == ENOSPC ? ENOMEM : code;
      return MAP_FAILED;
    }
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  return map(address, length, protection, flags, file, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int file, off64_t offset) {
  return map(address, length, protection, flags, file, offset);
}

/* Clocks */

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result == 0 && clock == CLOCK_REALTIME && control) now->tv_sec += control->clock;
  return result;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}
