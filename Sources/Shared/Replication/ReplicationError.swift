/// What this module refuses. Never contains an answer.
package enum ReplicationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A merge policy that no version of Walkdown knows; the text is the form's, not an answer.
    case unknownPolicy(String)
    /// A counter that jumps further than any device can have counted.
    case lamportJump
    case malformedEnrollmentCode
    case malformedTimestamp
    case malformedDigest

    package var description: String {
        switch self {
        case .unknownPolicy(let text): "unknown merge policy \"\(text)\""
        case .lamportJump: "the logical clock jumps too far ahead"
        case .malformedEnrollmentCode: "this is not an enrolment code"
        case .malformedTimestamp: "expected a time as YYYY-MM-DDThh:mm:ss.sssZ"
        case .malformedDigest: "expected 32 hexadecimal digits"
        }
    }
}
