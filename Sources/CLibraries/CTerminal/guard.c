// The crash guard: whatever ends the process, the terminal is left as it was found.
//
// Everything a handler needs is computed beforehand and stands in `guard`; a handler only calls
// functions that signal-safety(7) lists (write, tcsetattr, sigaction, raise, _exit ...).

#include "walkdown_terminal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define RESTORE_LIMIT 256
#define FAREWELL_LIMIT 512
#define ALTERNATE_STACK (64 * 1024)

static struct {
    int terminal;                // where the screen is, -1 while there is none
    int speech;                  // where the farewell goes: the real standard error
    struct termios modes;        // as found
    char restore[RESTORE_LIMIT]; // what puts the screen back
    size_t restore_length;
    char farewell[FAREWELL_LIMIT];
    size_t farewell_length;
    int wake; // eventfd of the loop for the signals that it handles, -1 without a loop
} guard = {.terminal = -1, .speech = -1, .wake = -1};

static atomic_int armed;
static atomic_uint pending; // bit n: signal n came and the loop has not taken it

static const int faults[] = {SIGABRT, SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP};
static const int endings[] = {SIGHUP, SIGTERM, SIGINT, SIGQUIT};
static const int notices[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGUSR1};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void put(int descriptor, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        length -= (size_t)written;
    }
}

// The terminal as it was before the screen. Safe in a handler, and does its work once.
static void restore_terminal(void) {
    if (atomic_exchange(&armed, 0) == 0) return;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGTTOU, &ignore, &before); // tcsetattr from the background would stop us
    put(guard.terminal, guard.restore, guard.restore_length);
    tcsetattr(guard.terminal, TCSANOW, &guard.modes);
    sigaction(SIGTTOU, &before, NULL);
}

static _Noreturn void die_of(int signal_number) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(signal_number, &usual, NULL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, signal_number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    raise(signal_number);
    _exit(128 + signal_number); // the signal was ignored by whoever started us
}

static void on_fault(int signal_number) {
    int had_screen = atomic_load(&armed);
    restore_terminal();
    if (had_screen) put(guard.speech, guard.farewell, guard.farewell_length);
    die_of(signal_number);
}

static void wake_loop(int signal_number) {
    int saved = errno;
    atomic_fetch_or(&pending, 1u << signal_number);
    walkdown_mailbox_signal(guard.wake);
    errno = saved;
}

// The first of these asks the loop to save and leave; a second, or one without a loop, ends at once.
static void on_ending(int signal_number) {
    unsigned earlier = atomic_load(&pending);
    if (guard.wake < 0 || (earlier & (1u << signal_number)) != 0) {
        restore_terminal();
        die_of(signal_number);
    }
    wake_loop(signal_number);
}

static void on_notice(int signal_number) { wake_loop(signal_number); }

static struct sigaction found[NSIG]; // dispositions before ours

static void handle(const int *signals, size_t count, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigset_t wanted;
    sigemptyset(&wanted);
    for (size_t index = 0; index < count; index++) {
        sigaction(signals[index], &action, &found[signals[index]]);
        sigaddset(&wanted, signals[index]);
    }
    // A parent may have blocked them, and what is blocked stays so across exec.
    pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
}

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;

static void free_stack(void *stack) {
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    free(stack);
}

static void make_stack_key(void) { pthread_key_create(&stack_key, free_stack); }

int walkdown_guard_thread(void) {
    pthread_once(&stack_once, make_stack_key);
    if (pthread_getspecific(stack_key) != NULL) return 0;
    char *memory = malloc(ALTERNATE_STACK);
    if (memory == NULL) return -1;
    stack_t stack = {.ss_sp = memory, .ss_size = ALTERNATE_STACK};
    if (sigaltstack(&stack, NULL) != 0) {
        free(memory);
        return -1;
    }
    pthread_setspecific(stack_key, memory);
    return 0;
}

int walkdown_guard_prepare(int terminal, int speech, int wake, const char *farewell) {
    if (tcgetattr(terminal, &guard.modes) != 0) return -1;
    guard.terminal = terminal;
    guard.speech = speech;
    guard.wake = wake;
    guard.farewell_length = strnlen(farewell, FAREWELL_LIMIT);
    memcpy(guard.farewell, farewell, guard.farewell_length);
    walkdown_guard_thread();
    atomic_store(&pending, 0);
    handle(faults, COUNT(faults), on_fault);
    handle(endings, COUNT(endings), on_ending);
    handle(notices, COUNT(notices), on_notice);
    return 0;
}

void walkdown_guard_arm(const char *restore) {
    guard.restore_length = strnlen(restore, RESTORE_LIMIT);
    memcpy(guard.restore, restore, guard.restore_length);
    atomic_store(&armed, 1);
}

void walkdown_guard_disarm(void) { atomic_store(&armed, 0); }

void walkdown_guard_reset_modes(void) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGTTOU, &ignore, &before);
    tcsetattr(guard.terminal, TCSADRAIN, &guard.modes);
    sigaction(SIGTTOU, &before, NULL);
}

unsigned walkdown_guard_take_signals(void) { return atomic_exchange(&pending, 0); }

void walkdown_guard_stop_self(void) {
    struct sigaction usual = {.sa_handler = SIG_DFL};
    struct sigaction ours;
    sigaction(SIGTSTP, &usual, &ours);
    raise(SIGTSTP); // returns after SIGCONT
    sigaction(SIGTSTP, &ours, NULL);
    atomic_fetch_and(&pending, ~(1u << SIGCONT)); // the caller knows
}

void walkdown_guard_end(void) {
    atomic_store(&armed, 0);
    guard.wake = -1;
    const struct {
        const int *signals;
        size_t count;
    } all[] = {{faults, COUNT(faults)}, {endings, COUNT(endings)}, {notices, COUNT(notices)}};
    for (size_t list = 0; list < COUNT(all); list++)
        for (size_t index = 0; index < all[list].count; index++)
            sigaction(all[list].signals[index], &found[all[list].signals[index]], NULL);
}

void walkdown_guard_raise(int signal_number) { die_of(signal_number); }
