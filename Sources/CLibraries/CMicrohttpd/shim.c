#include "walkdown_microhttpd.h"
