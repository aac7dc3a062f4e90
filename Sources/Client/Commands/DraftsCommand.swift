internal import Arguments
internal import Coding
internal import Forms
internal import LocalStore
internal import Replication

enum DraftsCommand {
    private static let discard = Option(
        "discard", value: "DRAFT", help: "Throw this one away; DRAFT is of the first column.")

    static let entry = Entry(
        name: "drafts", summary: "Texts that were typed where nothing shows them any more.",
        discussion: """
            A row, a finding or an inspection that is deleted elsewhere while somebody types in it takes \
            the place away, and so does a move to a version of the form that does not ask the question. \
            What was typed is kept: read it here and enter it elsewhere, or throw it away.
            """,
        positionals: [
            Positional(
                "DRAFT", isRequired: false,
                help: "One of the first column: its text alone, as it was typed.")
        ],
        options: [discard]
    ) { run in
        let name = run.invocation.operands("DRAFT").first
        if let discarded = run.invocation.value(discard.name) {
            guard name == nil else {
                throw Failure(.usage, "one draft is either shown or discarded")
            }
            return try throwAway(discarded, run)
        }
        let (drafts, names) = try run.withStore(for: .reading) { store in
            let drafts =
                try name.map { [try store.strandedDraft(named: $0)] }
                ?? store.strandedDrafts()
            return (
                drafts,
                drafts.isEmpty
                    ? [:]
                    : try store.inspections(Set(drafts.compactMap(\.inspection)))
                        .mapValues(\.name)
            )
        }
        if name != nil, let draft = drafts.first {
            try run.emit(draft.json(names)) { draft.draft.text + "\n" }
        } else {
            try run.emit(.array(drafts.map { $0.json(names) })) { table(of: drafts, names) }
        }
        return .done
    }

    private static func table(of drafts: [StrandedDraft], _ names: [RecordID: String]) -> String {
        var table = TextTable(["DRAFT", "INSPECTION", "WHY", "TEXT"])
        for draft in drafts {
            table.append([
                draft.name, draft.inspection.map { names[$0] ?? $0.rawValue } ?? "",
                draft.reason.words, draft.draft.text.replacing("\n", with: " "),
            ])
        }
        return table.text
    }

    private static func throwAway(_ name: String, _ run: CommandRun) throws -> ExitCode {
        try run.withStore(for: .writing) { store in
            let draft = try store.strandedDraft(named: name)
            try store.discardDraft(of: draft.draft.field, in: draft.record)
        }
        try run.emit(["draft": .string(name), "discarded": true]) { "\(name) is discarded\n" }
        return .done
    }
}

extension StrandedDraft {
    /// Where it was typed.
    fileprivate var name: String { "\(record.rawValue.prefix(8)):\(draft.field)" }

    fileprivate func json(_ names: [RecordID: String]) -> JSON {
        [
            "draft": .string(name), "recordId": .string(record.rawValue),
            "inspection": JSON(inspection?.rawValue),
            "name": JSON(inspection.flatMap { names[$0] }),
            "question": .string(finding?.path ?? draft.field),
            "finding": finding == nil ? .null : .string(draft.field),
            "why": .string(reason.rawValue),
            "text": .string(draft.text), "typedAtUtc": .string(SyncTimestamp.text(draft.updatedAt)),
        ]
    }
}

extension StrandedDraft.Reason {
    fileprivate var words: String {
        switch self {
        case .deleted: "deleted since"
        case .notAsked: "not asked now"
        }
    }
}

extension DeviceStore {
    fileprivate func strandedDraft(named name: String) throws -> StrandedDraft {
        let named = try strandedDrafts().filter { $0.name == name }
        guard named.count == 1, let draft = named.first else {
            throw Failure(
                .failed, "there is no draft '\(name)'", advice: "'walkdown drafts' lists them.")
        }
        return draft
    }
}
