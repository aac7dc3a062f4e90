#include "walkdown_curl.h"
