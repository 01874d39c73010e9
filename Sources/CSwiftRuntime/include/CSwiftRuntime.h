#ifndef CADASTRE_SWIFT_RUNTIME_H
#define CADASTRE_SWIFT_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

/* Functions and layouts of the Swift runtime that the language gives no access to. Functions are linked
   weakly. `RuntimeFeatures` in target Cadastre checks each of them once per process, and has a fallback. */

/* Calls `visit` with the metadata of every class of the program that is not generic and has a
   superclass. The pointer is what Swift calls `T.self`. Does nothing on Apple platforms, where the
   Objective-C runtime lists the classes, and with a runtime whose sections have another layout. */
void cadastre_each_class(void (*visit)(const void *metadata, void *context), void *context);

/* A new object with the same bytes as another, which must hold no reference-counted value; the caller owns
   it. NULL on Apple platforms. */
void *cadastre_copy_object(const void *object);

/* The size in bytes of an object of a class, its superclasses included; 0 on Apple platforms. */
long cadastre_object_size(const void *metadata);

/* The reference counts of an object, as the runtime stores them: strong, weak and unowned references in one
   word. 0 on Apple platforms and where pointers have other sizes than 64 bits. */
uint64_t cadastre_reference_counts(const void *object);

/* A serial executor: the two words of Swift's `UnownedSerialExecutor`. The identity is the address of the executor's
   object, which is an actor where the actor has no executor of its own; 0 for none. */
struct cadastre_executor {
  uintptr_t identity;
  uintptr_t implementation;
};

/* Whether the two functions below may be called. */
bool cadastre_knows_executor(void);

/* The serial executor on which the caller's task runs; none outside of tasks and in tasks that run on no actor. */
struct cadastre_executor cadastre_current_executor(void);

/* Whether the caller runs on a serial executor. */
bool cadastre_is_current_executor(struct cadastre_executor executor);

/* Whether `cadastre_retain_if_alive` may be called. */
bool cadastre_can_retain_if_alive(void);

/* Retains an object for the caller; false where the object is being deinitialized. Its memory must be
   valid. */
bool cadastre_retain_if_alive(void *object);

/* Stops the process with a trap in the caller's own code. Unlike `abort`, it leaves no frame of the C library
   on the stack, which has no frame pointers, so that a backtrace reaches the callers. Unlike `fatalError`, it
   prints nothing. */
__attribute__((noreturn, always_inline)) static inline void cadastre_trap(void) { __builtin_trap(); }

#endif
