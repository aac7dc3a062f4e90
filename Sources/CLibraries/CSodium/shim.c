#include "walkdown_sodium.h"
