#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "state.h"
#include "walkdown_disk.h"

// The calls themselves, in the place of libc's for the whole program. <fcntl.h> would declare `open`
// with attributes of its own.
enum { flag_create = 0100, flag_cut = 01000, at_working_folder = -100, temporary_file = 020200000 };

static long waits;

static struct file *file_of(int descriptor) {
    return descriptor >= 0 && descriptor < most_descriptors ? descriptors[descriptor] : NULL;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static int open_file(int folder, const char *path, int flags, unsigned mode) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = path[0] == '/' ? file_at(path) : NULL;
    if (file && machines[file->machine].is_stopped && (flags & 3) != 0) {
        pthread_mutex_unlock(&disk_lock);
        return fail(EIO);
    }
    int descriptor = (int)syscall(SYS_openat, folder, path, flags & ~flag_cut, mode);
    if (descriptor >= 0 && descriptor < most_descriptors) descriptors[descriptor] = file;
    if (descriptor >= 0 && (flags & flag_cut)) {
        if (file) keep_cut(file, descriptor, 0);
        syscall(SYS_ftruncate, descriptor, 0);
    }
    pthread_mutex_unlock(&disk_lock);
    return descriptor;
}

static bool takes_mode(int flags) {
    return (flags & flag_create) || (flags & temporary_file) == temporary_file;
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = takes_mode(flags) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return open_file(at_working_folder, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = takes_mode(flags) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return open_file(at_working_folder, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    unsigned mode = takes_mode(flags) ? va_arg(rest, unsigned) : 0;
    va_end(rest);
    return open_file(folder, path, flags, mode);
}

int close(int descriptor) {
    pthread_mutex_lock(&disk_lock);
    if (file_of(descriptor)) descriptors[descriptor] = NULL;
    pthread_mutex_unlock(&disk_lock);
    return (int)syscall(SYS_close, descriptor);
}

static ssize_t write_at(
    struct file *file, int descriptor, const void *bytes, size_t length, off_t offset) {
    bool in_part;
    int error = take_step(file, &in_part);
    if (!error && machines[file->machine].is_full
        && offset + (off_t)length > size_of(descriptor))
        error = ENOSPC;
    if (error && !in_part) return fail(error);
    size_t done = in_part ? length / 2 : length;
    settle_log(file);
    keep_write(file, descriptor, bytes, done, offset);
    ssize_t count = syscall(SYS_pwrite64, descriptor, bytes, done, offset);
    return error ? fail(error) : count;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    ssize_t count = file ? write_at(file, descriptor, bytes, length, offset)
                         : syscall(SYS_pwrite64, descriptor, bytes, length, offset);
    pthread_mutex_unlock(&disk_lock);
    return count;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return pwrite64(descriptor, bytes, length, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    ssize_t count;
    if (file) {
        off_t place = lseek(descriptor, 0, SEEK_CUR);
        count = write_at(file, descriptor, bytes, length, place);
        if (count > 0) lseek(descriptor, place + count, SEEK_SET);
    } else {
        // Not under the lock: a pipe that is full keeps its writer waiting.
        pthread_mutex_unlock(&disk_lock);
        return syscall(SYS_write, descriptor, bytes, length);
    }
    pthread_mutex_unlock(&disk_lock);
    return count;
}

static int resize(struct file *file, int descriptor, off_t size) {
    bool in_part;
    int error = take_step(file, &in_part);
    if (!error && machines[file->machine].is_full && size > size_of(descriptor)) error = ENOSPC;
    if (error) return fail(error);
    keep_cut(file, descriptor, size);
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate64(int descriptor, off64_t size) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    int result = file ? resize(file, descriptor, size)
                      : (int)syscall(SYS_ftruncate, descriptor, size);
    pthread_mutex_unlock(&disk_lock);
    return result;
}

int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

// Only ever grows a file here: the blocks behind it are another file system's business.
int posix_fallocate(int descriptor, off_t offset, off_t length) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    int result = 0;
    if (!file)
        result = syscall(SYS_fallocate, descriptor, 0, offset, length) < 0 ? errno : 0;
    else if (offset + length > size_of(descriptor))
        result = resize(file, descriptor, offset + length) < 0 ? errno : 0;
    pthread_mutex_unlock(&disk_lock);
    return result;
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    int result = 0;
    if (!file)
        result = (int)syscall(SYS_fallocate, descriptor, mode, offset, length);
    else if (mode == 0 && offset + length > size_of(descriptor))
        result = resize(file, descriptor, offset + length);
    pthread_mutex_unlock(&disk_lock);
    return result;
}

int fdatasync(int descriptor) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = file_of(descriptor);
    int error = 0;
    if (file) {
        bool in_part;
        error = take_step(file, &in_part);
        bool is_skipped = machines[file->machine].skips_logs && is_log(file);
        if (!error && !is_skipped) forget_changes(file);
    }
    pthread_mutex_unlock(&disk_lock);
    if (error) return fail(error);
    return file ? 0 : (int)syscall(SYS_fdatasync, descriptor);
}

int fsync(int descriptor) { return fdatasync(descriptor); }

int unlink(const char *path) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = path[0] == '/' ? file_at(path) : NULL;
    bool in_part;
    int error = file ? take_step(file, &in_part) : 0;
    if (file && !error) forget_changes(file);
    pthread_mutex_unlock(&disk_lock);
    return error ? fail(error) : (int)syscall(SYS_unlink, path);
}

int rename(const char *from, const char *to) {
    pthread_mutex_lock(&disk_lock);
    struct file *file = from[0] == '/' ? file_at(from) : NULL;
    bool in_part;
    int error = file ? take_step(file, &in_part) : 0;
    if (file && !error) rename_file(file, to);
    pthread_mutex_unlock(&disk_lock);
    return error ? fail(error) : (int)syscall(SYS_rename, from, to);
}

// SQLite waits for a lock by sleeping, with usleep or, since 3.42, nanosleep: in a simulation time
// does not pass by itself.
static int pass_over(void) {
    __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
    return 0;
}

int usleep(useconds_t microseconds) {
    (void)microseconds;
    return pass_over();
}

int nanosleep(const struct timespec *wanted, struct timespec *rest) {
    (void)wanted;
    (void)rest;
    return pass_over();
}

long walkdown_disk_waits(void) { return __atomic_exchange_n(&waits, 0, __ATOMIC_RELAXED); }
