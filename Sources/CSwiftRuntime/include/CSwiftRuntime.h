#ifndef CADASTRE_SWIFT_RUNTIME_H
#define CADASTRE_SWIFT_RUNTIME_H

/* Calls `visit` with the metadata of every class of the program that is not generic and has a
   superclass. The pointer is what Swift calls `T.self`. Does nothing on Apple platforms, where the
   Objective-C runtime lists the classes. */
void cadastre_each_class(void (*visit)(const void *metadata, void *context), void *context);

#endif
