#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state.h"
#include "walkdown_disk.h"

// What is on a disk after the power went: the synchronised state of each file, and of the writes
// after it none, all, or some, one of them perhaps in part.

static uint64_t next(uint64_t *state) {
    uint64_t mixed = (*state += 0x9E3779B97F4A7C15u);
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBu;
    return mixed ^ (mixed >> 31);
}

static void put(int descriptor, const char *bytes, size_t length, off_t offset) {
    if (length > 0 && syscall(SYS_pwrite64, descriptor, bytes, length, offset) < 0) abort();
}

static void cut(int descriptor, off_t size) {
    if (syscall(SYS_ftruncate, descriptor, size) < 0) abort();
}

static void undo(int descriptor, const struct change *change) {
    if (change->is_cut) cut(descriptor, change->size_before);
    put(descriptor, change->before, change->replaced, change->offset);
    if (!change->is_cut) cut(descriptor, change->size_before);
}

enum { sector = 512 };

static void redo(int descriptor, const struct change *change, bool in_part, uint64_t *state) {
    if (change->is_cut) return cut(descriptor, change->offset);
    size_t length = change->length;
    if (in_part && length > sector) length = sector * (1 + next(state) % (length / sector));
    put(descriptor, change->after, length, change->offset);
}

static void lose(const struct file *file, const char *path, uint64_t *state) {
    int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return;
    size_t count = 0;
    for (struct change *change = file->newest; change; change = change->older) count++;
    struct change **changes = calloc(count + 1, sizeof *changes);
    size_t place = count;
    for (struct change *change = file->newest; change; change = change->older) {
        undo(descriptor, change);
        changes[--place] = change;
    }
    // 0: nothing was written, 1: everything, else each by a coin.
    uint64_t mode = next(state) % 4;
    for (size_t index = 0; index < count; index++) {
        bool is_written = mode == 1 || (mode > 1 && next(state) % 2 == 0);
        if (is_written) redo(descriptor, changes[index], mode == 3 && next(state) % 4 == 0, state);
    }
    free(changes);
    syscall(SYS_close, descriptor);
}

void walkdown_disk_cut_power(int machine, uint64_t seed) {
    pthread_mutex_lock(&disk_lock);
    uint64_t state = seed;
    for (struct file *file = all_files(); file; file = file->next)
        if (file->machine == machine && file->newest) {
            lose(file, file->path, &state);
            forget_changes(file);
        }
    pthread_mutex_unlock(&disk_lock);
}

void walkdown_disk_lose(int machine, const char *folder, uint64_t seed) {
    pthread_mutex_lock(&disk_lock);
    uint64_t state = seed;
    for (struct file *file = all_files(); file; file = file->next) {
        if (file->machine != machine || !file->newest) continue;
        char path[4096];
        snprintf(path, sizeof path, "%s%s", folder, file->path + machines[machine].folder_length);
        lose(file, path, &state);
    }
    pthread_mutex_unlock(&disk_lock);
}

void walkdown_disk_settle(int machine) {
    pthread_mutex_lock(&disk_lock);
    for (struct file *file = all_files(); file; file = file->next)
        if (file->machine == machine) forget_changes(file);
    pthread_mutex_unlock(&disk_lock);
}

int walkdown_disk_copy(const char *from, const char *to) {
    int source = (int)syscall(SYS_openat, AT_FDCWD, from, O_RDONLY | O_CLOEXEC);
    if (source < 0) return -1;
    int target = (int)syscall(
        SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int result = target < 0 ? -1 : 0;
    char buffer[1 << 16];
    while (result == 0) {
        ssize_t count = syscall(SYS_read, source, buffer, sizeof buffer);
        if (count == 0) break;
        if (count < 0 || syscall(SYS_write, target, buffer, count) != count) result = -1;
    }
    syscall(SYS_close, source);
    if (target >= 0) syscall(SYS_close, target);
    return result;
}
