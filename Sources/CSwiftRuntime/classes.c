#include "CSwiftRuntime.h"

#if !defined(__APPLE__)

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Layouts: swift/stdlib/public/SwiftShims/MetadataSections.h and swift/ABI/Metadata.h. */

struct range {
  uintptr_t start;
  size_t length;
};

struct metadata_sections {
  uintptr_t version;
  const void *base_address;
  void *unused0;
  void *unused1;
  struct range protocols;
  struct range protocol_conformances;
  struct range type_metadata;
};

struct metadata_response {
  const void *metadata;
  size_t state;
};

typedef struct metadata_response (*metadata_accessor)(size_t request);

/* Weak, so that a program links and starts with a runtime that has no such function. */
__attribute__((weak)) bool swift_enumerateAllMetadataSections(
    bool (*body)(const struct metadata_sections *, void *), void *context);

/* The versions of the sections whose layout is the one above; sections of others are skipped. */
enum { oldest_version = 1, newest_version = 5 };

enum { kind_mask = 0x1F, kind_class = 16, is_generic = 0x80 };
enum { reference_mask = 3, direct_reference = 0, indirect_reference = 1 };

/* Fields of a class's descriptor, each of 32 bits; relative references count from themselves. */
enum { field_flags = 0, field_accessor = 3, field_superclass = 5 };

struct visit {
  void (*visit)(const void *metadata, void *context);
  void *context;
};

static void visit_descriptor(const int32_t *descriptor, const struct visit *visit) {
  uint32_t flags = (uint32_t)descriptor[field_flags];
  if ((flags & kind_mask) != kind_class || (flags & is_generic) != 0) return;
  if (descriptor[field_superclass] == 0 || descriptor[field_accessor] == 0) return;
  const int32_t *field = descriptor + field_accessor;
  metadata_accessor accessor = (metadata_accessor)((uintptr_t)field + (intptr_t)*field);
  struct metadata_response response = accessor(0);
  if (response.metadata != NULL) visit->visit(response.metadata, visit->context);
}

static bool visit_section(const struct metadata_sections *sections, void *context) {
  if (sections->version < oldest_version || sections->version > newest_version) return true;
  const int32_t *record = (const int32_t *)sections->type_metadata.start;
  size_t count = sections->type_metadata.length / sizeof(int32_t);
  for (size_t index = 0; index < count; index += 1, record += 1) {
    int32_t reference = *record & reference_mask;
    uintptr_t target = (uintptr_t)record + (intptr_t)(*record & ~reference_mask);
    if (reference == direct_reference) {
      visit_descriptor((const int32_t *)target, context);
    } else if (reference == indirect_reference && *(const int32_t *const *)target != NULL) {
      visit_descriptor(*(const int32_t *const *)target, context);
    }
  }
  return true;
}

void cadastre_each_class(void (*visit)(const void *metadata, void *context), void *context) {
  if (swift_enumerateAllMetadataSections == NULL) return;
  struct visit visiting = {visit, context};
  swift_enumerateAllMetadataSections(visit_section, &visiting);
}

/* The start of a class's metadata where there is no Objective-C runtime. */
struct class_metadata {
  uintptr_t kind;
  const void *superclass;
  uint32_t flags;
  uint32_t instance_address_point;
  uint32_t instance_size;
  uint16_t instance_align_mask;
};

void *swift_allocObject(const void *metadata, size_t size, size_t align_mask);

enum { header_size = 2 * sizeof(void *) };

void *cadastre_copy_object(const void *object) {
  const struct class_metadata *metadata = *(const struct class_metadata *const *)object;
  char *copy = swift_allocObject(metadata, metadata->instance_size, metadata->instance_align_mask);
  memcpy(copy + header_size, (const char *)object + header_size,
         metadata->instance_size - header_size);
  return copy;
}

/* Layout: swift/stdlib/public/SwiftShims/HeapObject.h. */
uint64_t cadastre_reference_counts(const void *object) {
#if UINTPTR_MAX == UINT64_MAX
  return __atomic_load_n((const uint64_t *)object + 1, __ATOMIC_ACQUIRE);
#else
  return 0;
#endif
}

long cadastre_object_size(const void *metadata) {
  return ((const struct class_metadata *)metadata)->instance_size;
}

#else

void *cadastre_copy_object(const void *object) { return 0; }
long cadastre_object_size(const void *metadata) { return 0; }
uint64_t cadastre_reference_counts(const void *object) { return 0; }

void cadastre_each_class(void (*visit)(const void *metadata, void *context), void *context) {}

#endif
