/// Why there is no screen. None of them concerns an answer; all are found before the first frame.
package enum TerminalError: Error, Equatable {
    /// Standard input or output is no terminal: exit code 2.
    case notATerminal
    /// The terminal cannot place a cursor (`TERM=dumb`): exit code 2.
    case cannotDraw(term: String)
    /// ncurses found no description of this terminal nor of any that is like it: exit code 2.
    case unknownTerminal(term: String)
    /// No file descriptor left for the mailbox or the signals.
    case noDescriptor
    case poll(errno: Int32)
}
