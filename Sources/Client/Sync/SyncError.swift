/// What goes wrong outside a cycle: a cycle's own end is a `CycleOutcome`, never a thrown error.
package struct SyncError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: Sendable {
        /// The address that a person typed.
        case address
        /// The server's authority is not the one that the enrolment code names.
        case wrongServer
        /// The code was used before.
        case codeUsed
        case codeExpired
        /// The code is of another team than the device that enrols again.
        case otherTeam
        /// No server, or one that is not ours, at that address.
        case unreachable
        /// The server refused for a reason of its own.
        case refused
    }

    package let code: Code
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
