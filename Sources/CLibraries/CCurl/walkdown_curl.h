#pragma once
#include <curl/curl.h>

// Swift imports neither variadic functions nor the macros that curl builds its option types with.
// Each shim is one call with one type; what is asked of curl stands in Sync.

static inline CURLcode walkdown_curl_set_long(CURL *curl, CURLoption option, long value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode walkdown_curl_set_int64(CURL *curl, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode walkdown_curl_set_string(CURL *curl, CURLoption option, const char *value) {
    return curl_easy_setopt(curl, option, value);
}

static inline CURLcode walkdown_curl_set_pointer(CURL *curl, CURLoption option, void *value) {
    return curl_easy_setopt(curl, option, value);
}

// CURLOPT_COPYPOSTFIELDS and the blob options copy; this one does not, and its bytes must outlive
// the transfer.
static inline CURLcode walkdown_curl_set_bytes(CURL *curl, CURLoption option, const void *value) {
    return curl_easy_setopt(curl, option, (void *)value);
}

static inline CURLcode walkdown_curl_set_blob(
    CURL *curl, CURLoption option, const void *bytes, size_t count
) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(curl, option, &blob);
}

// Do not wait for the thread that resolves a name (CURLOPT_QUICK_EXIT, since 7.87). A library that
// is older than the header does not know it and waits.
static inline CURLcode walkdown_curl_set_quick_exit(CURL *curl) {
#if LIBCURL_VERSION_NUM >= 0x075700
    CURLcode code = curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
    return code == CURLE_UNKNOWN_OPTION ? CURLE_OK : code;
#else
    (void)curl;
    return CURLE_OK;
#endif
}

static inline CURLcode walkdown_curl_set_headers(CURL *curl, struct curl_slist *headers) {
    return curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
}

typedef size_t (*walkdown_curl_write)(char *bytes, size_t size, size_t count, void *context);
typedef int (*walkdown_curl_progress)(
    void *context, curl_off_t downTotal, curl_off_t down, curl_off_t upTotal, curl_off_t up);

static inline CURLcode walkdown_curl_on_body(
    CURL *curl, walkdown_curl_write function, void *context
) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_WRITEDATA, context);
}

static inline CURLcode walkdown_curl_on_header(
    CURL *curl, walkdown_curl_write function, void *context
) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_HEADERDATA, context);
}

static inline CURLcode walkdown_curl_on_progress(
    CURL *curl, walkdown_curl_progress function, void *context
) {
    CURLcode code = curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, function);
    if (code == CURLE_OK) code = curl_easy_setopt(curl, CURLOPT_XFERINFODATA, context);
    return code != CURLE_OK ? code : curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
}

static inline CURLcode walkdown_curl_status(CURL *curl, long *status) {
    return curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, status);
}

// Certificate verification detail of OpenSSL (X509_V_ERR_…), 0 when the chain was good.
static inline CURLcode walkdown_curl_verification(CURL *curl, long *result) {
    return curl_easy_getinfo(curl, CURLINFO_SSL_VERIFYRESULT, result);
}

// The enumerators below are anonymous or macros in some releases of curl and then do not import.
static const long walkdown_curl_tls13 = CURL_SSLVERSION_TLSv1_3;
static const long walkdown_curl_http11 = CURL_HTTP_VERSION_1_1;
static const long walkdown_curl_global_default = CURL_GLOBAL_DEFAULT;
