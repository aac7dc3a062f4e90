#pragma once
#include <stddef.h>

// libxml2's headers stand in /usr/include/libxml2 and include each other by `libxml/…`, so that who
// includes one needs a search path. None is included here: Swift sees this header only, and the
// search path concerns the one C file behind it (Package.swift, `headers`).

// Each returns 0 to go on; anything else stops the parser. Strings are UTF-8 and live as long as the
// call. `attributes` holds five pointers each: local name, prefix, address, start and end of value.
typedef struct {
    void *context;
    int (*start)(
        void *context, int line, const char *local, const char *prefix, const char *address,
        int attribute_count, const char *const *attributes);
    int (*end)(void *context);
    int (*text)(void *context, const char *bytes, int length);
} walkdown_xml_handler;

typedef enum {
    WALKDOWN_XML_FINE = 0,
    WALKDOWN_XML_STOPPED,        // by the handler
    WALKDOWN_XML_DOCUMENT_TYPE,  // a DOCTYPE: entities and defaults come in through it
    WALKDOWN_XML_MALFORMED,
    WALKDOWN_XML_NO_MEMORY,
} walkdown_xml_outcome;

typedef struct {
    int line;
    char message[200];
} walkdown_xml_fault;

walkdown_xml_outcome walkdown_xml_parse(
    const char *bytes, size_t length, const walkdown_xml_handler *handler,
    walkdown_xml_fault *fault);
