#ifndef CADASTRE_SWIFT_RUNTIME_H
#define CADASTRE_SWIFT_RUNTIME_H

#include <stdbool.h>

/* Calls `visit` with the metadata of every class of the program that is not generic and has a
   superclass. The pointer is what Swift calls `T.self`. Does nothing on Apple platforms, where the
   Objective-C runtime lists the classes. */
void cadastre_each_class(void (*visit)(const void *metadata, void *context), void *context);

/* A new object with the same bytes as another, which must hold nothing that is counted; it is owned by
   the caller. NULL on Apple platforms. */
void *cadastre_copy_object(const void *object);

/* The bytes of an object of a class, those of its superclasses included; 0 on Apple platforms. */
long cadastre_object_size(const void *metadata);

/* Whether the caller runs on a serial executor, which is given by the two words of Swift's
   `UnownedSerialExecutor`. */
bool cadastre_is_current_executor(const void *identity, const void *implementation);

/* Counts one more reference to an object, which the caller owns; false where the object is being taken
   apart. Its memory must be there. */
bool cadastre_retain_if_alive(void *object);

#endif
