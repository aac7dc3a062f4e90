#include "walkdown_terminal.h"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int walkdown_timer_open(void) {
    return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

void walkdown_timer_set(int descriptor, long long milliseconds) {
    struct itimerspec when = {0};
    if (milliseconds >= 0) {
        when.it_value.tv_sec = milliseconds / 1000;
        // All zero would disarm it.
        when.it_value.tv_nsec = (milliseconds % 1000) * 1000000 + 1;
    }
    // Setting it also takes back that it was readable. Cannot fail with these arguments.
    (void)timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &when, 0);
}

void walkdown_timer_close(int descriptor) { close(descriptor); }
