#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { most_machines = 32, most_descriptors = 4096 };

// One change of a file since it was last synchronised.
struct change {
    struct change *older;
    off_t offset;
    size_t length;     // of `after`
    size_t replaced;   // bytes in `before`
    char *before, *after;
    off_t size_before; // of the file
    bool is_cut;       // ftruncate: the file has the size `offset` afterwards
};

struct file {
    struct file *next;
    struct change *newest;
    char *path;
    int machine;
};

struct machine {
    char *folder;
    size_t folder_length;
    long steps, stop_at;
    bool is_stopped, is_full, skips_logs;
    void (*watch)(void *);
    void *watcher;
};

extern pthread_mutex_t disk_lock;
extern struct machine machines[most_machines];
extern struct file *descriptors[most_descriptors];

// All of these with the lock held.
struct file *file_at(const char *path);
void forget_changes(struct file *file);
void rename_file(struct file *file, const char *path);
struct file *all_files(void);
// Nonzero: the error with which the call fails. `in_part` says that this one is where the machine
// stops: what can be done by half is done by half.
int take_step(struct file *file, bool *in_part);
void keep_write(struct file *file, int descriptor, const void *bytes, size_t length, off_t offset);
void keep_cut(struct file *file, int descriptor, off_t size);
off_t size_of(int descriptor);
bool is_log(const struct file *file);
// Before a database is written its log is synchronised, whoever skipped that until now.
void settle_log(const struct file *file);
