#include "walkdown_terminal.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

int walkdown_folder_in_memory(const char *path) {
    struct statfs found;
    if (statfs(path, &found) != 0 || access(path, W_OK | X_OK) != 0) return 0;
    return found.f_type == TMPFS_MAGIC || found.f_type == RAMFS_MAGIC;
}
