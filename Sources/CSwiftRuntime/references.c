#include "CSwiftRuntime.h"

#include <stddef.h>

/* The operation by which a weak reference becomes a strong one: fails once the last strong reference is
   released. Weak: see the header. */
__attribute__((weak)) extern void *swift_tryRetain(void *object);

bool cadastre_can_retain_if_alive(void) { return swift_tryRetain != NULL; }

bool cadastre_retain_if_alive(void *object) { return swift_tryRetain(object) != NULL; }
