#pragma once
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>

// prctl(2) takes a variable number of arguments, which Swift does not import.
static inline int walkdown_forbid_dumping(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
static inline int walkdown_is_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// An enumeration's constant in glibc, which setrlimit(2) itself does not take in Swift.
static inline int walkdown_forbid_core_files(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none);
}

// pipe2(2) and accept4(2) with close-on-exec from the start: set afterwards, a program started by
// another thread in between would keep the file open.
int walkdown_pipe(int ends[2]);
int walkdown_accept(int listener);

// A flag of posix_spawnattr_setflags(3): the child is out of reach of this terminal's signals.
extern const short walkdown_spawn_in_own_session;

// memfd_create(2), closed on exec: a file that is in memory only.
int walkdown_memory_file(const char *name);

// renameat2(2) with RENAME_NOREPLACE: EEXIST where something has that name, EINVAL where the file
// system cannot promise it.
int walkdown_rename_new(const char *from, const char *to);

// mallopt(3) with M_MMAP_THRESHOLD: blocks from this size on go back to the system when freed.
int walkdown_return_blocks_from(int bytes);

// A socket that is told of changes of links and routes (rtnetlink(7)); -1 with errno. Close it
// with close(2).
int walkdown_watch_routes(void);
// Asks the kernel for all routes; the answer ends with NLMSG_DONE. -1 with errno.
int walkdown_ask_routes(int netlink);
