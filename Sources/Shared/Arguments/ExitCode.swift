/// The exit codes that scripts may rely on; both programs use no others, except 128 + n for a signal.
package enum ExitCode: Int32, Sendable, CaseIterable {
    case done = 0
    case failed = 1
    case usage = 2
    case validation = 3
    case syncIncomplete = 4
    case needsPerson = 5
    case locked = 6
    case revoked = 7

    package var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "failed, or no such id"
        case .usage: "the command line is wrong"
        case .validation: "an answer or a name was refused"
        case .syncIncomplete: "not everything was exchanged; try again later"
        case .needsPerson: "conflicts or failed rows need a person"
        case .locked: "the store is locked, held by another process, or damaged"
        case .revoked: "this device was revoked"
        }
    }

    /// Where several apply, the gravest is the one to exit with: 7, then 6, 5, 4, 3, 1. A wrong
    /// command line never meets another, because nothing ran.
    package static func gravest(_ codes: [ExitCode]) -> ExitCode {
        if let wrong = codes.first(where: { $0 == .usage }) { return wrong }
        return codes.max { $0.rawValue < $1.rawValue } ?? .done
    }

    /// What a shell sees when signal `number` ended the program.
    package static func status(ofSignal number: Int32) -> Int32 { 128 + number }
}
