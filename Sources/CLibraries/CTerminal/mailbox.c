#include "walkdown_terminal.h"

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int walkdown_mailbox_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void walkdown_mailbox_signal(int descriptor) {
    uint64_t one = 1;
    // EAGAIN means that the counter is full, hence readable: the reader wakes all the same.
    (void)!write(descriptor, &one, sizeof one);
}

void walkdown_mailbox_drain(int descriptor) {
    uint64_t count;
    (void)!read(descriptor, &count, sizeof count);
}

void walkdown_mailbox_close(int descriptor) { close(descriptor); }
