#pragma once

#include <stdint.h>

// What Swift needs of ncursesw: one terminal, its cells, one update a frame. The header of ncurses
// itself stays inside shim.c: its macros and globals do not import into Swift.

// Bits of walkdown_cell.attributes.
#define WALKDOWN_BOLD 1
#define WALKDOWN_DIM 2
#define WALKDOWN_UNDERLINE 4
#define WALKDOWN_REVERSE 8

#define WALKDOWN_MARKS 4

struct walkdown_cell {
    uint32_t scalar;
    uint32_t marks[WALKDOWN_MARKS]; // 0 ends
    int8_t foreground;              // 0 to 7, -1 for the terminal's own
    int8_t background;
    uint8_t attributes;
    uint8_t width; // 0 for the continuation of a wide cell
};

// LC_CTYPE: 1 when characters are UTF-8 afterwards. `wanted`: 0 what the environment says, 1 UTF-8.
int walkdown_screen_locale(int wanted);

// 1 when terminfo knows `term` and can place the cursor in it, 0 when it cannot, -1 when unknown.
int walkdown_screen_knows(const char *term);
// Capabilities are this terminal's from now on, without a screen. 0, or -1 when nothing is known of it.
int walkdown_screen_describe(const char *term);

// newterm(3) on the two descriptors; raw, no echo, keypad as the terminal has it. 0, or -1.
int walkdown_screen_open(const char *term, int input, int output);
int walkdown_screen_colours(void);
// A capability's string, such as "rmcup"; NULL when the terminal has none.
const char *walkdown_screen_capability(const char *name);
int walkdown_screen_rows(void);
int walkdown_screen_columns(void);
// Asks the terminal for its size (TIOCGWINSZ) and tells ncurses; 0×0 leaves it. 1 when it changed.
int walkdown_screen_resize(int terminal);
void walkdown_screen_erase(void);
// Draws `count` cells of a row. A wide cell's continuation follows it and is skipped.
void walkdown_screen_row(int row, const struct walkdown_cell *cells, int count);
void walkdown_screen_cursor(int row, int column, int visible);
// wnoutrefresh and doupdate: the only output.
void walkdown_screen_update(void);
// The next update repaints all (after Ctrl-L, Ctrl-Z, another program).
void walkdown_screen_repaint(void);
// A sequence that ncurses knows no call for, sent as it is.
void walkdown_screen_send(const char *sequence);
// endwin(3): the shell's screen. An update brings ours back.
void walkdown_screen_leave(void);
// Our modes again, after leave or after somebody else changed them.
void walkdown_screen_resume(void);
void walkdown_screen_close(void);
