#pragma once

// The mailbox's eventfd(2). open returns -1 with errno set; the others cannot fail in a way that
// loses a message, because messages stand in memory and the descriptor only wakes poll(2).
int walkdown_mailbox_open(void);
void walkdown_mailbox_signal(int descriptor);
void walkdown_mailbox_drain(int descriptor);
void walkdown_mailbox_close(int descriptor);

// A timer on CLOCK_BOOTTIME (timerfd_create(2)): unlike the timeout of poll(2) it counts while the
// machine sleeps, and is readable at once when it wakes too late. -1 with errno set on failure.
int walkdown_timer_open(void);
// Readable from `milliseconds` of the clock on; negative for never.
void walkdown_timer_set(int descriptor, long long milliseconds);
void walkdown_timer_close(int descriptor);

// The crash guard. One screen a process; called on the main thread unless said otherwise.

// Remembers the modes of `terminal`, takes over the signals and gives this thread an alternate
// stack. `farewell` is written to `speech` after a fault. Endings and notices set a bit and signal
// `wake` (an eventfd). Returns -1 with errno when `terminal` is none.
int walkdown_guard_prepare(int terminal, int speech, int wake, const char *farewell);
// From here until disarm a fault writes `restore` and the modes found to the terminal.
void walkdown_guard_arm(const char *restore);
void walkdown_guard_disarm(void);
// Puts the modes found at `prepare` back.
void walkdown_guard_reset_modes(void);
// Bit n: signal n came since the last call.
unsigned walkdown_guard_take_signals(void);
// Stops the process as Ctrl-Z does; returns when it is continued.
void walkdown_guard_stop_self(void);
// The dispositions found at `prepare` again.
void walkdown_guard_end(void);
// Dies of a signal, so that the parent sees it.
void walkdown_guard_raise(int signal_number) __attribute__((noreturn));
// An alternate signal stack for the calling thread, freed with it: a stack overflow can be handled
// on it only. Any thread. -1 without memory.
int walkdown_guard_thread(void);
