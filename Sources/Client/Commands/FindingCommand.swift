internal import Arguments
internal import Coding
internal import Forms
internal import Inspections
internal import LocalStore
internal import Replication

enum FindingCommand {
    private static let remove = Option(
        "remove", help: "Take it away: it was a mistake. What was mended is closed instead.")
    private static let id = Option(
        "id", value: "FINDING",
        help: "Which one, where several stand there; the first characters suffice.")

    static let entry = Entry(
        name: "finding",
        summary: "Raise a finding on a question, or change the one that stands there.",
        discussion: """
            An answer that fails raises one by itself where the form asks for it; any question can \
            have one, also one whose answer does not fail. An empty text takes away what was said. \
            'corrected' is what was mended before the inspector left: the answer stays as it was, \
            and so does the score. Without an option it only raises one, or shows the one there is.
            """,
        positionals: [
            .inspection,
            Positional(
                "QUESTION", help: "By its name, its path, or its place in a row: 'ROW[2]/QUESTION'."
            ),
        ],
        options: FindingOptions.all + [remove, id]
    ) { run in
        let isRemoval = run.invocation.has(remove.name)
        let changes = try FindingOptions(run.invocation, in: run.surroundings).changes
        guard !isRemoval || changes.isEmpty else {
            throw Failure(.usage, "--remove takes the finding away: say nothing else of it")
        }
        let outcome = try run.withStore(for: .writing) { store -> Outcome in
            let detail = try store.detail(matching: run.invocation.operand("ID"))
            let inspection = detail.summary.id
            let filling = try store.filling(of: inspection)
            let key = try key(run.invocation.operand("QUESTION"), in: filling, detail, store)
            let standing = try standing(at: key, in: detail, filling, run)
            if isRemoval {
                guard let standing else {
                    throw Failure(.failed, "there is no finding on \(filling.address(of: key))")
                }
                try store.removeFinding(standing)
                return .removed(standing)
            }
            let raised = try standing ?? store.raiseFinding(on: key, of: inspection, changes)
            if standing != nil { try store.changeFinding(raised, by: changes) }
            let all = try store.findings(of: inspection)
            return all.first { $0.view.id == raised }.map(Outcome.stands) ?? .removed(raised)
        }
        try run.emit(outcome.json) { outcome.words }
        return .done
    }

    private enum Outcome {
        case stands(ListedFinding)
        case removed(RecordID)

        var json: JSON {
            switch self {
            case .stands(let finding): finding.json
            case .removed(let id): ["id": .string(id.rawValue), "removed": true]
            }
        }

        var words: String {
            switch self {
            case .stands(let finding):
                "\(finding.view.id) on \(finding.address): \(escapingLines(finding.words))\n"
            case .removed(let id): "\(id) is removed\n"
            }
        }
    }

    /// What is found on a question that the form does not ask any more is reached by its place, as
    /// `findings` writes it.
    private static func key(
        _ word: String, in filling: FormFilling, _ detail: InspectionDetail, _ store: DeviceStore
    ) throws -> AnswerKey {
        var places = AddressReading(filling, newID: store.newRowID)
        let target: AddressReading.Target
        do throws(AddressTrouble) {
            target = try places.read(word)
        } catch {
            let listed = detail.findings.first {
                $0.address == word || $0.view.finding.question == word
            }
            if let listed { return listed.view.finding.key }
            throw AnswerFailure.refusal(["\(word): " + error.sentence])
        }
        guard case .answer(let key, _) = target else {
            throw AnswerFailure.refusal(["\(word): is a row; name a question in it"])
        }
        guard places.additions.isEmpty else {
            throw AnswerFailure.refusal(["\(word): a row that is not there yet has no findings"])
        }
        return key
    }

    private static func standing(
        at key: AnswerKey, in detail: InspectionDetail, _ filling: FormFilling, _ run: CommandRun
    ) throws -> RecordID? {
        let there = detail.findings.map(\.view).filter { $0.finding.key == key }.map(\.id)
        if let word = run.invocation.value(id.name) {
            return try ShortID.find(
                word, among: there, called: "finding on \(filling.address(of: key)) called")
        }
        guard there.count > 1 else { return there.first }
        throw Failure(
            .failed, "\(there.count) findings stand on \(filling.address(of: key))",
            advice: "Choose one with '--id':\n" + there.map(\.rawValue).joined(separator: "\n"))
    }
}
