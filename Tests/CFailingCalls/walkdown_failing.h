#pragma once

// A library to be loaded before a program (LD_PRELOAD): one of the calls that the encrypted engine
// makes for memory or to the cipher fails. Calls of everybody else, such as the runtime's and TLS's,
// pass through.
//
//   WALKDOWN_FAIL       memory, or cipher
//   WALKDOWN_FAIL_AT    which of these calls fails, from 1 on; 0 counts only
//   WALKDOWN_FAIL_LAST  with it every one up to this fails
//   WALKDOWN_FAIL_NOTE  a file that says at the end of the program how many there were

// For the module; nobody calls it.
void walkdown_failing(void);
