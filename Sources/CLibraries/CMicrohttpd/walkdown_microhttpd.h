#pragma once
#include <microhttpd.h>
#include <stdint.h>
#include <string.h>

// libmicrohttpd for Swift: variadic calls, unions and enum cases whose names Swift cuts.
// No decisions stand here.

static inline enum MHD_Result walkdown_mhd_yes(void) { return MHD_YES; }
static inline enum MHD_Result walkdown_mhd_no(void) { return MHD_NO; }

/// What a daemon is started with. The certificate, key and priorities are NULL for plain HTTP.
struct walkdown_mhd_settings {
    MHD_socket listen_socket;
    int ipv6;
    const char *certificate_pem;
    const char *key_pem;
    const char *priorities;
    unsigned int threads;
    unsigned int connections;
    unsigned int connections_per_address;
    unsigned int idle_seconds;
    size_t memory_per_connection;
    void *context;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    void *(*target)(void *context, const char *uri, struct MHD_Connection *connection);
};

/// Leaves escapes in the request target as they came: the module decodes and judges them itself.
static inline size_t walkdown_mhd_keep_escapes(
    void *context, struct MHD_Connection *connection, char *text
) {
    (void)context;
    (void)connection;
    return strlen(text);
}

// What RFC 9112 demands of a client, and no more; the option was renamed in 1.0.
#if MHD_VERSION >= 0x01000000
#define WALKDOWN_MHD_STRICT MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1
#else
#define WALKDOWN_MHD_STRICT MHD_OPTION_STRICT_FOR_CLIENT, 1
#endif

static inline struct MHD_Daemon *walkdown_mhd_start(const struct walkdown_mhd_settings *s) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
    struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)s->certificate_pem},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)s->key_pem},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)s->priorities},
        {MHD_OPTION_END, 0, NULL},
    };
    struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    if (s->ipv6) flags |= MHD_USE_IPv6;
    if (s->certificate_pem != NULL) flags |= MHD_USE_TLS;
    return MHD_start_daemon(
        flags, 0, NULL, NULL, s->handle, s->context,
        MHD_OPTION_LISTEN_SOCKET, s->listen_socket,
        MHD_OPTION_THREAD_POOL_SIZE, s->threads,
        MHD_OPTION_CONNECTION_LIMIT, s->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, s->connections_per_address,
        MHD_OPTION_CONNECTION_TIMEOUT, s->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->memory_per_connection,
        MHD_OPTION_NOTIFY_COMPLETED, s->completed, s->context,
        MHD_OPTION_NOTIFY_CONNECTION, s->connection, s->context,
        MHD_OPTION_URI_LOG_CALLBACK, s->target, s->context,
        MHD_OPTION_UNESCAPE_CALLBACK, walkdown_mhd_keep_escapes, NULL,
        WALKDOWN_MHD_STRICT,
        MHD_OPTION_ARRAY, s->certificate_pem != NULL ? tls : none,
        MHD_OPTION_END);
}

/// The socket of a connection, or -1.
static inline int walkdown_mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int)info->connect_fd;
}

/// The bytes that the request line and the header took, or 0.
static inline size_t walkdown_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info == NULL ? 0 : info->header_size;
}

/// 1 where the library that runs is older than 1.0, whose parser was written anew.
static inline int walkdown_mhd_is_before_1(void) { return MHD_get_version()[0] == '0'; }

/// What the connection callback kept for this socket, or NULL.
static inline void *walkdown_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// 1 while the connection begins, 0 when it ends.
static inline int walkdown_mhd_is_start(enum MHD_ConnectionNotificationCode code) {
    return code == MHD_CONNECTION_NOTIFY_STARTED;
}

static inline int walkdown_mhd_each_header(
    struct MHD_Connection *connection, MHD_KeyValueIteratorN visit, void *context
) {
    return MHD_get_connection_values_n(connection, MHD_HEADER_KIND, visit, context);
}

static inline struct MHD_Response *walkdown_mhd_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}
