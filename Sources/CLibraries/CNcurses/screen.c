#define _GNU_SOURCE 1 // strcasestr, wcwidth
#define NCURSES_WIDECHAR 1
#define _XOPEN_SOURCE_EXTENDED 1

#include "walkdown_ncurses.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

static SCREEN *screen;
static FILE *screen_input;
static FILE *screen_output;
static int colours;

static int is_utf8(void) { return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; }

static int names_utf8(const char *locale) {
    if (locale == NULL) return 0;
    return strcasestr(locale, "utf-8") != NULL || strcasestr(locale, "utf8") != NULL;
}

// Only LC_CTYPE: numbers stay in the C locale.
int walkdown_screen_locale(int wanted) {
    const char *asked = getenv("LC_ALL");
    if (asked == NULL || *asked == 0) asked = getenv("LC_CTYPE");
    if (asked == NULL || *asked == 0) asked = getenv("LANG");
    int found = setlocale(LC_CTYPE, "") != NULL;
    if (found && is_utf8()) return 1;
    if ((wanted || names_utf8(asked)) && setlocale(LC_CTYPE, "C.UTF-8") != NULL) return is_utf8();
    if (!found) setlocale(LC_CTYPE, "C");
    return 0;
}

int walkdown_screen_knows(const char *term) {
    int reason = 0;
    if (setupterm(term, STDOUT_FILENO, &reason) != OK) return -1;
    char *place = tigetstr("cup");
    int can = place != NULL && place != (char *)-1;
    del_curterm(cur_term);
    return can;
}

int walkdown_screen_describe(const char *term) {
    int reason = 0;
    return setupterm(term, STDOUT_FILENO, &reason) == OK ? 0 : -1;
}

static FILE *stream(int descriptor, const char *mode) {
    int copy = dup(descriptor);
    return copy < 0 ? NULL : fdopen(copy, mode);
}

int walkdown_screen_open(const char *term, int input, int output) {
    // LINES and COLUMNS in the environment are what some shell once saw; the terminal knows.
    use_env(FALSE);
    // One that says 0x0, as a serial line does, does not: newterm of ncurses 6.5 fails with that. The
    // description's own size stands then, until the terminal learns its own.
    struct winsize size;
    use_tioctl(ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0);
    screen_input = stream(input, "r");
    screen_output = stream(output, "w");
    if (screen_input == NULL || screen_output == NULL) return -1;
    screen = newterm(term, screen_output, screen_input);
    if (screen == NULL) return -1;
    set_term(screen);
    raw();
    noecho();
    nonl();
    keypad(stdscr, TRUE); // for its smkx; the keys are read by our own decoder
    leaveok(stdscr, FALSE);
    scrollok(stdscr, FALSE);
    idlok(stdscr, FALSE);
    if (has_colors() && start_color() == OK) {
        use_default_colors();
        colours = COLORS;
    }
    return 0;
}

int walkdown_screen_colours(void) { return colours; }

const char *walkdown_screen_capability(const char *name) {
    char *text = tigetstr((char *)name);
    return text == (char *)-1 ? NULL : text;
}

int walkdown_screen_rows(void) { return LINES; }
int walkdown_screen_columns(void) { return COLS; }

int walkdown_screen_resize(int terminal) {
    struct winsize size;
    if (ioctl(terminal, TIOCGWINSZ, &size) != 0) return 0;
    if (size.ws_row == 0 || size.ws_col == 0) return 0;
    if (size.ws_row == LINES && size.ws_col == COLS) return 0;
    resizeterm(size.ws_row, size.ws_col);
    clearok(curscr, TRUE);
    return 1;
}

void walkdown_screen_erase(void) { erase(); }

// Pair 0 is the terminal's own; the others are made as they are first needed, so that a terminal
// with few pairs has enough.
static short pair_of(int foreground, int background) {
    static short made[9][9];
    static short next = 1;
    if (colours < 8 || (foreground < 0 && background < 0)) return 0;
    short *pair = &made[foreground + 1][background + 1];
    if (*pair == 0 && next < COLOR_PAIRS
        && init_pair(next, (short)foreground, (short)background) == OK)
        *pair = next++;
    return *pair;
}

static attr_t attributes_of(uint8_t bits) {
    attr_t attributes = A_NORMAL;
    if (bits & WALKDOWN_BOLD) attributes |= A_BOLD;
    if (bits & WALKDOWN_DIM) attributes |= A_DIM;
    if (bits & WALKDOWN_UNDERLINE) attributes |= A_UNDERLINE;
    if (bits & WALKDOWN_REVERSE) attributes |= A_REVERSE;
    return attributes;
}

// The cell's characters. Where the C library sees another width than ours, ncurses would shift the
// rest of the row: a stand-in of our width takes its place.
static int characters_of(const struct walkdown_cell *cell, wchar_t *text) {
    wchar_t base = (wchar_t)cell->scalar;
    if (wcwidth(base) != cell->width) {
        wcscpy(text, L"?");
        return cell->width;
    }
    int length = 0;
    text[length++] = base;
    for (int index = 0; index < WALKDOWN_MARKS && cell->marks[index] != 0; index++)
        if (wcwidth((wchar_t)cell->marks[index]) == 0) text[length++] = (wchar_t)cell->marks[index];
    text[length] = 0;
    return 1;
}

void walkdown_screen_row(int row, const struct walkdown_cell *cells, int count) {
    if (row < 0 || row >= LINES) return;
    for (int column = 0; column < count && column < COLS; column++) {
        const struct walkdown_cell *cell = &cells[column];
        if (cell->width == 0) continue;
        wchar_t text[WALKDOWN_MARKS + 2];
        cchar_t drawn;
        int times = characters_of(cell, text);
        short pair = pair_of(cell->foreground, cell->background);
        if (setcchar(&drawn, text, attributes_of(cell->attributes), pair, NULL) != OK) continue;
        // ..._wchnstr neither moves the cursor nor minds the last corner of the screen.
        for (int copy = 0; copy < times && column + copy < COLS; copy++)
            mvadd_wchnstr(row, column + copy, &drawn, 1);
    }
}

void walkdown_screen_cursor(int row, int column, int visible) {
    static int shown = -1;
    if (shown != visible) {
        curs_set(visible ? 1 : 0);
        shown = visible;
    }
    if (row >= 0 && row < LINES && column >= 0 && column < COLS) move(row, column);
}

void walkdown_screen_update(void) {
    wnoutrefresh(stdscr);
    doupdate();
}

void walkdown_screen_repaint(void) { clearok(curscr, TRUE); }

// A terminal without a second screen keeps what we drew: its last line is cleared for the shell.
static int put_char(int character) { return fputc(character, screen_output); }

static void clear_last_line(void) {
    if (exit_ca_mode != NULL) return;
    fputs("\r", screen_output);
    if (clr_eol != NULL) tputs(clr_eol, 1, put_char);
    fflush(screen_output);
}

void walkdown_screen_leave(void) {
    endwin();
    clear_last_line();
}

void walkdown_screen_resume(void) {
    reset_prog_mode();
    // endwin(3) has taken the keypad's mode back, and ncurses believes that it still holds.
    keypad(stdscr, FALSE);
    keypad(stdscr, TRUE);
    clearok(curscr, TRUE);
}

void walkdown_screen_send(const char *sequence) {
    fputs(sequence, screen_output);
    fflush(screen_output);
}

void walkdown_screen_close(void) {
    if (screen == NULL) return;
    endwin();
    clear_last_line();
    delscreen(screen);
    screen = NULL;
    fclose(screen_input);
    fclose(screen_output);
}
