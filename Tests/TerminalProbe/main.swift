// A screen of TerminalKit alone, for the tests that need a real terminal and a process that can be
// stopped, killed and made to fault: a list, a line to type in, and what the last event was.

import TerminalKit

Probe.main()
