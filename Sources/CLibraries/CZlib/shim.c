#include "walkdown_zlib.h"
