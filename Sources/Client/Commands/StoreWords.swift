internal import Arguments
internal import Coding
internal import Inspections
internal import LocalStore
internal import Replication

/// What a person is told about the store.
enum StoreWords {
    static let failure: Renderer.Translation = { error in
        switch error {
        case let error as StoreError: words(for: error)
        case let refusal as AnswerRefusal: Failure(.validation, refusal.sentence)
        case let refusal as MoveRefusal: Failure(.failed, refusal.sentence)
        case Completion.Refusal.state(let refusal): Failure(.validation, refusal.description)
        case let refusal as StateRefusal: Failure(.validation, refusal.description)
        case let error as CodingError:
            Failure(.locked, "the store holds something unreadable: \(error.description)")
        default: nil
        }
    }

    private static func words(for error: StoreError) -> Failure {
        switch error {
        case .refused(.queueFull, _):
            Failure(.failed, error.description, advice: "'walkdown sync' sends them.")
        case .deletedUndecided:
            Failure(.validation, error.description, advice: "'walkdown resolve' decides.")
        case .refused, .unresolved, .notInConflict, .changedSinceShown, .changesRefused:
            Failure(.validation, error.description)
        case .unknownRecord, .unknownMutation, .wrongStatus: Failure(.failed, error.description)
        case .unknownForm:
            Failure(.failed, error.description, advice: "'walkdown sync' fetches the forms.")
        case .statementNotAllowed: Failure(.failed, error.description)
        case .readOnly, .closed: Failure(.locked, error.description)
        case .storage where error.isDiskFull, .secondCopy where error.isDiskFull:
            Failure(
                .locked, "the disk is full",
                advice:
                    "What was stored before is whole. Make room where the home is, and try again.")
        case .damaged, .storage, .secondCopy:
            Failure(
                .locked, "the store: \(error.description)",
                advice: "Nothing was lost by this command. 'walkdown doctor' looks closer.")
        }
    }
}
