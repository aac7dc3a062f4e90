#include "walkdown_systemd.h"
