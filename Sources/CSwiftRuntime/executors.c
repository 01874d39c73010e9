#include "CSwiftRuntime.h"

#include <stddef.h>
#include <stdint.h>

/* `cadastre_executor` has the layout of `SerialExecutorRef` in swift/ABI/Executor.h. */
__attribute__((swiftcall, weak)) extern struct cadastre_executor swift_task_getCurrentExecutor(void);

/* The form with flags works in every mode of the runtime, and without flags never stops the process.
   Runtimes before Swift 6 have only the other form. All are weak: see the header. */
#if defined(__APPLE__)
__attribute__((swiftcall, weak)) extern bool swift_task_isCurrentExecutor(
    struct cadastre_executor executor);
#else
__attribute__((swiftcall, weak)) extern bool swift_task_isCurrentExecutorWithFlags(
    struct cadastre_executor executor, uintptr_t flags);
#endif

bool cadastre_knows_executor(void) {
#if defined(__APPLE__)
  return swift_task_getCurrentExecutor != NULL && swift_task_isCurrentExecutor != NULL;
#else
  return swift_task_getCurrentExecutor != NULL && swift_task_isCurrentExecutorWithFlags != NULL;
#endif
}

struct cadastre_executor cadastre_current_executor(void) {
  return swift_task_getCurrentExecutor();
}

bool cadastre_is_current_executor(struct cadastre_executor executor) {
#if defined(__APPLE__)
  return swift_task_isCurrentExecutor(executor);
#else
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
#endif
}
