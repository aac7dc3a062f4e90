#include "walkdown_ncurses.h"
