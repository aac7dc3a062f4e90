#include "walkdown_xml2.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <stdbool.h>
#include <string.h>

// The push parser with our own four SAX callbacks: no tree, no entity table, no loader. Without
// XML_PARSE_HUGE, libxml2 itself refuses more than 256 levels and more than 10 MB in one value.

typedef struct {
    const walkdown_xml_handler *handler;
    xmlParserCtxtPtr parser;
    walkdown_xml_outcome outcome;
    int line;
    long started, ended;  // elements: a document that was read to its end has as many of both
} reading;

static void stop(reading *reading, walkdown_xml_outcome outcome) {
    if (reading->outcome == WALKDOWN_XML_FINE) {
        reading->outcome = outcome;
        reading->line = xmlSAX2GetLineNumber(reading->parser);
    }
    xmlStopParser(reading->parser);
}

static void on_start(
    void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *address,
    int namespace_count, const xmlChar **namespaces, int attribute_count, int defaulted,
    const xmlChar **attributes) {
    (void)namespace_count, (void)namespaces, (void)defaulted;
    reading *reading = context;
    if (reading->outcome != WALKDOWN_XML_FINE) return;
    const walkdown_xml_handler *handler = reading->handler;
    reading->started++;
    if (handler->start(
            handler->context, xmlSAX2GetLineNumber(reading->parser), (const char *)local,
            (const char *)prefix, (const char *)address, attribute_count,
            (const char *const *)attributes) != 0) {
        stop(reading, WALKDOWN_XML_STOPPED);
    }
}

static void on_end(
    void *context, const xmlChar *local, const xmlChar *prefix, const xmlChar *address) {
    (void)local, (void)prefix, (void)address;
    reading *reading = context;
    if (reading->outcome != WALKDOWN_XML_FINE) return;
    reading->ended++;
    if (reading->handler->end(reading->handler->context) != 0) {
        stop(reading, WALKDOWN_XML_STOPPED);
    }
}

static void on_text(void *context, const xmlChar *bytes, int length) {
    reading *reading = context;
    if (reading->outcome != WALKDOWN_XML_FINE) return;
    if (reading->handler->text(reading->handler->context, (const char *)bytes, length) != 0) {
        stop(reading, WALKDOWN_XML_STOPPED);
    }
}

static void on_document_type(
    void *context, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    (void)name, (void)public_id, (void)system_id;
    stop(context, WALKDOWN_XML_DOCUMENT_TYPE);
}

static void keep_message(walkdown_xml_fault *fault, xmlParserCtxtPtr parser) {
    const xmlError *error = xmlCtxtGetLastError(parser);
    if (error == NULL || error->message == NULL) return;
    if (error->line > 0) fault->line = error->line;
    strncpy(fault->message, error->message, sizeof fault->message - 1);
}

walkdown_xml_outcome walkdown_xml_parse(
    const char *bytes, size_t length, const walkdown_xml_handler *handler,
    walkdown_xml_fault *fault) {
    memset(fault, 0, sizeof *fault);
    xmlSAXHandler callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.initialized = XML_SAX2_MAGIC;
    callbacks.startElementNs = on_start;
    callbacks.endElementNs = on_end;
    callbacks.characters = on_text;
    callbacks.cdataBlock = on_text;
    callbacks.ignorableWhitespace = on_text;
    callbacks.internalSubset = on_document_type;

    reading reading = {.handler = handler, .outcome = WALKDOWN_XML_FINE};
    xmlParserCtxtPtr parser = xmlCreatePushParserCtxt(&callbacks, &reading, NULL, 0, NULL);
    if (parser == NULL) return WALKDOWN_XML_NO_MEMORY;
    reading.parser = parser;
    // NOENT: `&amp;` in an attribute comes as `&`. There are no other entities, for a document type
    // ends the reading before it declares one.
    xmlCtxtUseOptions(
        parser,
        XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);

    // What xmlParseChunk returns is the last complaint, also of what does not hurt, as an odd address
    // of a namespace: only `wellFormed` says whether to go on.
    const size_t chunk = 16 << 10;
    for (size_t at = 0; at < length && parser->wellFormed && !parser->disableSAX;) {
        size_t size = length - at < chunk ? length - at : chunk;
        xmlParseChunk(parser, bytes + at, (int)size, 0);
        at += size;
    }
    if (parser->wellFormed && !parser->disableSAX) xmlParseChunk(parser, bytes, 0, 1);
    bool is_whole = parser->wellFormed && reading.started > 0 && reading.started == reading.ended;
    if (reading.outcome == WALKDOWN_XML_FINE && !is_whole) {
        reading.outcome = WALKDOWN_XML_MALFORMED;
        keep_message(fault, parser);
    }
    if (fault->line == 0) fault->line = reading.line;
    xmlFreeParserCtxt(parser);
    return reading.outcome;
}
