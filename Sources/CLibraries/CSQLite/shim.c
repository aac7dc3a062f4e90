#include "walkdown_sqlite.h"
