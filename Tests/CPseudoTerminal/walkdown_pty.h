#pragma once

#include <sys/types.h>

/// Starts a program on a terminal of its own, which fork(2) needs C for.
///
/// `idle` is written by the program as file descriptor 3 (WALKDOWN_TEST_FD); pass -1 for none.
/// Returns the process id and puts the terminal's other side into `controller`; -1 with errno set
/// where that failed.
pid_t walkdown_spawn_on_terminal(const char *program, char *const arguments[],
                                 char *const environment[], int rows, int columns, int idle,
                                 int *controller);

/// The plainest thing that ncurses can do, as a bound for key-to-paint: each key is drawn where the
/// cursor is. Ends with `q`. Returns an exit status.
int walkdown_ncurses_echo(void);
