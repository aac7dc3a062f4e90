// For pipe2, accept4, memfd_create, renameat2 and POSIX_SPAWN_SETSID, which Swift's view of glibc leaves out.
#define _GNU_SOURCE
#include "walkdown_system.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int walkdown_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int walkdown_accept(int listener) { return accept4(listener, 0, 0, SOCK_CLOEXEC); }

const short walkdown_spawn_in_own_session = POSIX_SPAWN_SETSID;

int walkdown_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int walkdown_rename_new(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int walkdown_return_blocks_from(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }

int walkdown_watch_routes(void) {
    int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (netlink < 0) return -1;
    const struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(netlink, (const struct sockaddr *)&address, sizeof address) == 0) return netlink;
    int code = errno;
    close(netlink);
    errno = code;
    return -1;
}

int walkdown_ask_routes(int netlink) {
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
    } request = {
        .header = {.nlmsg_len = sizeof request,
                   .nlmsg_type = RTM_GETROUTE,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .route = {.rtm_family = AF_UNSPEC},
    };
    return send(netlink, &request, sizeof request, 0) < 0 ? -1 : 0;
}
