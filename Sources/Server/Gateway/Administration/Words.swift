import Arguments
import Coding
import Forms
import HTTP
import Replication
import ServerStore

extension Walkdownd {
    /// Errors of the modules below, in words and exit codes.
    static let renderer = Renderer(
        program: "walkdownd",
        translations: [
            { ($0 as? ServerStoreError).map(words) },
            { ($0 as? HTTPError).map { Failure(.failed, $0.message) } },
            { ($0 as? CodingError).map { Failure(.validation, $0.description) } },
            { ($0 as? FormError).map { Failure(.validation, $0.description) } },
            { Failure(.locked, "the store cannot be used: \($0)") },
        ],
        // A script that asked for JSON gets a document also when the command fails, or cannot be read.
        // Beside a running server it comes from there.
        document: { failure in
            let document: JSON = [
                "error": [
                    "exitCode": .integer(Int64(failure.exitCode.rawValue)),
                    "message": .string(failure.sentence),
                ]
            ]
            return document.serialized()
        })

    @Sendable private static func words(for error: ServerStoreError) -> Failure {
        let code: ExitCode =
            switch error.code {
            case .unknownTeam, .badName, .badForm, .valueRefused, .stateRefused, .importRefused,
                .formDiffers, .notAStore:
                .validation
            case .damaged: .locked
            case .overloaded: .syncIncomplete
            default: .failed
            }
        return Failure(code, error.message)
    }
}
