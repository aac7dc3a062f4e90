#include "walkdown_system.h"
