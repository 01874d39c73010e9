#include "CSwiftRuntime.h"

#include <stddef.h>
#include <stdint.h>

/* Layout: `SerialExecutorRef` in swift/ABI/Executor.h. */
struct executor {
  const void *identity;
  const void *implementation;
};

/* The form with flags works in every mode of the runtime, and without flags never stops the process.
   Runtimes before Swift 6 have only the other form. Both are weak: see the header. */
#if defined(__APPLE__)
__attribute__((swiftcall, weak)) extern bool swift_task_isCurrentExecutor(struct executor executor);
#else
__attribute__((swiftcall, weak)) extern bool swift_task_isCurrentExecutorWithFlags(
    struct executor executor, uintptr_t flags);
#endif

bool cadastre_is_current_executor(const void *identity, const void *implementation) {
  struct executor executor = {identity, implementation};
#if defined(__APPLE__)
  return swift_task_isCurrentExecutor == NULL || swift_task_isCurrentExecutor(executor);
#else
  return swift_task_isCurrentExecutorWithFlags == NULL ||
         swift_task_isCurrentExecutorWithFlags(executor, 0);
#endif
}
