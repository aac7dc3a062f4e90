#pragma once
#include <sqlcipher/sqlite3.h>
