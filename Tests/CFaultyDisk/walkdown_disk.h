#pragma once
#include <stdbool.h>
#include <stdint.h>

// A disk that fails on demand. The program that links this has its own open, pwrite, fdatasync and
// so on, also for the libraries that it loads: files below the folder of a machine lie on that
// machine's disk, all others are passed through.
//
// A write is in the file at once, and what it replaced is kept until the file is synchronised.
// Nothing is ever really synchronised: that would be the speed of the real disk.

// A machine whose files lie below the folder. Returns its number, or -1 where there are too many.
int walkdown_disk_add(const char *folder);
// Forgets all machines and files. No file of them may still be in use.
void walkdown_disk_forget(void);

// Calls that wrote, grew, cut, named or synchronised a file so far.
long walkdown_disk_steps(int machine);
// The machine stops at its next but so many such calls: that one is carried out in part and fails,
// and so does everything after it. Negative: never.
void walkdown_disk_stop_after(int machine, long steps);
bool walkdown_disk_has_stopped(int machine);
// No room: whatever would make a file longer fails with ENOSPC.
void walkdown_disk_fill(int machine, bool full);
// Synchronising the log of a database does nothing before the database itself is written, as with
// `synchronous = NORMAL`.
void walkdown_disk_skip_logs(int machine);

// After the last file was closed: what the disk holds when the power went. Each write since the
// file was last synchronised is there, in part, or not, by the seed.
void walkdown_disk_cut_power(int machine, uint64_t seed);
// Everything that was written so far is on the disk.
void walkdown_disk_settle(int machine);
// The machine starts again, with what the disk holds.
void walkdown_disk_start(int machine);
// Calls this before each such call of the machine, on the thread that makes it; NULL: nobody.
void walkdown_disk_watch(int machine, void (*watch)(void *), void *context);
// In the folder stand copies of the machine's files: they become what the disk would hold if the power
// went now, by the seed. The machine goes on.
void walkdown_disk_lose(int machine, const char *folder, uint64_t seed);
// Writes since the last synchronisation, of all files.
long walkdown_disk_unsynchronised(int machine);

// Copies a file, as it was before all of this: synchronised, and counted nowhere.
int walkdown_disk_copy(const char *from, const char *to);
// Waiting for a lock takes no time any more. Returns how often somebody waited since the last call.
long walkdown_disk_waits(void);
