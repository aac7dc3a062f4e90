// For pipe2, accept4, memfd_create and POSIX_SPAWN_SETSID, which Swift's view of glibc leaves out.
#define _GNU_SOURCE
#include "walkdown_system.h"
#include <fcntl.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int walkdown_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int walkdown_accept(int listener) { return accept4(listener, 0, 0, SOCK_CLOEXEC); }

const short walkdown_spawn_in_own_session = POSIX_SPAWN_SETSID;

int walkdown_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int walkdown_return_blocks_from(int bytes) { return mallopt(M_MMAP_THRESHOLD, bytes); }
