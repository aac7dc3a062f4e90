#include "walkdown_terminal.h"
