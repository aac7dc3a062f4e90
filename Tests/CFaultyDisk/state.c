#define _GNU_SOURCE
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "walkdown_disk.h"

pthread_mutex_t disk_lock = PTHREAD_MUTEX_INITIALIZER;
struct machine machines[most_machines];
struct file *descriptors[most_descriptors];

static int machine_count;
static struct file *files;

struct file *all_files(void) { return files; }

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static int machine_of(const char *path) {
    for (int index = 0; index < machine_count; index++)
        if (strncmp(path, machines[index].folder, machines[index].folder_length) == 0
            && path[machines[index].folder_length] == '/')
            return index;
    return -1;
}

struct file *file_at(const char *path) {
    int machine = machine_of(path);
    // The index of a log is shared memory: it does not outlive its processes.
    if (machine < 0 || ends_with(path, "-shm")) return NULL;
    for (struct file *file = files; file; file = file->next)
        if (strcmp(file->path, path) == 0) return file;
    struct file *file = calloc(1, sizeof *file);
    file->path = strdup(path);
    file->machine = machine;
    file->next = files;
    files = file;
    return file;
}

void forget_changes(struct file *file) {
    while (file->newest) {
        struct change *change = file->newest;
        file->newest = change->older;
        free(change->before);
        free(change->after);
        free(change);
    }
}

void rename_file(struct file *file, const char *path) {
    struct file *replaced = file_at(path);
    if (replaced && replaced != file) {
        forget_changes(replaced);
        // No two files have one name; the open ones keep what they point at.
        free(replaced->path);
        replaced->path = strdup("");
    }
    free(file->path);
    file->path = strdup(path);
}

bool is_log(const struct file *file) { return ends_with(file->path, "-wal"); }

void settle_log(const struct file *file) {
    if (!machines[file->machine].skips_logs || is_log(file)) return;
    size_t length = strlen(file->path);
    for (struct file *other = files; other; other = other->next)
        if (is_log(other) && strlen(other->path) == length + 4
            && strncmp(other->path, file->path, length) == 0)
            forget_changes(other);
}

off_t size_of(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 ? status.st_size : 0;
}

int take_step(struct file *file, bool *in_part) {
    struct machine *machine = &machines[file->machine];
    *in_part = false;
    if (machine->is_stopped) return EIO;
    if (machine->watch) {
        // The watcher has files of its own, elsewhere.
        pthread_mutex_unlock(&disk_lock);
        machine->watch(machine->watcher);
        pthread_mutex_lock(&disk_lock);
    }
    machine->steps++;
    if (machine->stop_at >= 0 && machine->steps > machine->stop_at) {
        machine->is_stopped = true;
        *in_part = true;
        return EIO;
    }
    return 0;
}

static void keep_before(struct change *change, int descriptor, size_t replaced) {
    change->before = malloc(replaced ? replaced : 1);
    // Directly: pread(2) is nobody's to replace, but the file may be open for writing only.
    ssize_t count = syscall(SYS_pread64, descriptor, change->before, replaced, change->offset);
    if (count < 0) {
        char path[64];
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        int reader = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        if (reader >= 0) {
            count = syscall(SYS_pread64, reader, change->before, replaced, change->offset);
            syscall(SYS_close, reader);
        }
    }
    change->replaced = count > 0 ? (size_t)count : 0;
}

static struct change *new_change(struct file *file, int descriptor, off_t offset, size_t replaced) {
    struct change *change = calloc(1, sizeof *change);
    change->offset = offset;
    change->size_before = size_of(descriptor);
    // Most writes make a file longer: nothing is replaced behind its end.
    if (offset < change->size_before) keep_before(change, descriptor, replaced);
    change->older = file->newest;
    file->newest = change;
    return change;
}

void keep_write(struct file *file, int descriptor, const void *bytes, size_t length, off_t offset) {
    struct change *change = new_change(file, descriptor, offset, length);
    change->length = length;
    change->after = malloc(length ? length : 1);
    memcpy(change->after, bytes, length);
}

void keep_cut(struct file *file, int descriptor, off_t size) {
    off_t old = size_of(descriptor);
    size_t lost = old > size ? (size_t)(old - size) : 0;
    new_change(file, descriptor, size, lost)->is_cut = true;
}

// MARK: What the simulation says

int walkdown_disk_add(const char *folder) {
    pthread_mutex_lock(&disk_lock);
    int index = machine_count < most_machines ? machine_count++ : -1;
    if (index >= 0)
        machines[index] = (struct machine){
            .folder = strdup(folder), .folder_length = strlen(folder), .stop_at = -1};
    pthread_mutex_unlock(&disk_lock);
    return index;
}

void walkdown_disk_forget(void) {
    pthread_mutex_lock(&disk_lock);
    for (int index = 0; index < machine_count; index++) free(machines[index].folder);
    machine_count = 0;
    while (files) {
        struct file *file = files;
        files = file->next;
        forget_changes(file);
        free(file->path);
        free(file);
    }
    memset(descriptors, 0, sizeof descriptors);
    pthread_mutex_unlock(&disk_lock);
}

long walkdown_disk_steps(int machine) { return machines[machine].steps; }

void walkdown_disk_stop_after(int machine, long steps) {
    pthread_mutex_lock(&disk_lock);
    machines[machine].stop_at = steps < 0 ? -1 : machines[machine].steps + steps;
    pthread_mutex_unlock(&disk_lock);
}

bool walkdown_disk_has_stopped(int machine) { return machines[machine].is_stopped; }

void walkdown_disk_fill(int machine, bool full) { machines[machine].is_full = full; }

void walkdown_disk_skip_logs(int machine) { machines[machine].skips_logs = true; }

void walkdown_disk_watch(int machine, void (*watch)(void *), void *context) {
    pthread_mutex_lock(&disk_lock);
    machines[machine].watch = watch;
    machines[machine].watcher = context;
    pthread_mutex_unlock(&disk_lock);
}

void walkdown_disk_start(int machine) {
    pthread_mutex_lock(&disk_lock);
    machines[machine].is_stopped = false;
    machines[machine].stop_at = -1;
    pthread_mutex_unlock(&disk_lock);
}

long walkdown_disk_unsynchronised(int machine) {
    long count = 0;
    pthread_mutex_lock(&disk_lock);
    for (struct file *file = files; file; file = file->next)
        for (struct change *change = file->newest; change && file->machine == machine;
             change = change->older)
            count++;
    pthread_mutex_unlock(&disk_lock);
    return count;
}
