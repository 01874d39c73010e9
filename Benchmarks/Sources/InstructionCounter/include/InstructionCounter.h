// The number of instructions that the calling thread executes in user mode, as the processor counts them.

#ifndef INSTRUCTION_COUNTER_H
#define INSTRUCTION_COUNTER_H

#include <stdint.h>

// Opens the counter; returns its descriptor, or -1 where the processor or the system offers none.
int instruction_counter_open(void);

// Returns the number of instructions since the counter was opened; -1 after an error.
int64_t instruction_counter_read(int counter);

#endif
