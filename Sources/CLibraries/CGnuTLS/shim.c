#include "walkdown_gnutls.h"
