#include "CSwiftRuntime.h"

#include <stddef.h>

/* The runtime's half of a weak reference: fails once the last reference is gone. */
extern void *swift_tryRetain(void *object);

bool cadastre_retain_if_alive(void *object) { return swift_tryRetain(object) != NULL; }
