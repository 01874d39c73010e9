#include "CSwiftRuntime.h"

#include <stdint.h>

/* Layout: `SerialExecutorRef` in swift/ABI/Executor.h. */
struct executor {
  const void *identity;
  const void *implementation;
};

/* The form with flags answers in every mode of the runtime; with none it never stops the process. Before
   Swift 6 there was the one without only. */
#if defined(__APPLE__)
__attribute__((swiftcall)) extern bool swift_task_isCurrentExecutor(struct executor executor);
#else
__attribute__((swiftcall)) extern bool swift_task_isCurrentExecutorWithFlags(struct executor executor,
                                                                             uintptr_t flags);
#endif

bool cadastre_is_current_executor(const void *identity, const void *implementation) {
  struct executor executor = {identity, implementation};
#if defined(__APPLE__)
  return swift_task_isCurrentExecutor(executor);
#else
  return swift_task_isCurrentExecutorWithFlags(executor, 0);
#endif
}
