#include "walkdown_zip.h"
