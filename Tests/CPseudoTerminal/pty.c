#define _GNU_SOURCE
#include "walkdown_pty.h"

#include <errno.h>
#include <ncurses.h>
#include <pty.h>
#include <stdlib.h>
#include <unistd.h>

pid_t walkdown_spawn_on_terminal(const char *program, char *const arguments[],
                                 char *const environment[], int rows, int columns, int idle,
                                 int *controller) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    pid_t child = forkpty(controller, NULL, NULL, &size);
    if (child != 0) return child;
    // Between fork and exec only async-signal-safe calls.
    if (idle >= 0 && dup2(idle, 3) < 0) _exit(126);
    execve(program, arguments, environment);
    _exit(127);
}

int walkdown_ncurses_echo(void) {
    if (newterm(NULL, stdout, stdin) == NULL) return 1;
    raw();
    noecho();
    refresh();
    for (;;) {
        int key = getch();
        if (key == ERR || key == 'q') break;
        addch((chtype)key);
        refresh();
    }
    endwin();
    return 0;
}
