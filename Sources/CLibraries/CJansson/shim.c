#include "walkdown_jansson.h"
