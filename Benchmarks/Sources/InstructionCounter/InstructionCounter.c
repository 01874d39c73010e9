#include "InstructionCounter.h"

#ifdef __linux__

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int instruction_counter_open(void) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

int64_t instruction_counter_read(int counter) {
  int64_t count;
  return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}

#else

int instruction_counter_open(void) { return -1; }

int64_t instruction_counter_read(int counter) { return -1; }

#endif
