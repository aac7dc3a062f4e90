internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication

enum DraftsCommand {
    private static let discard = Option(
        "discard", value: "DRAFT", help: "Throw this one away; DRAFT is of the first column.")

    static let entry = Entry(
        name: "drafts", summary: "Texts that were typed where nothing shows them any more.",
        discussion: """
            A row or an inspection that is deleted elsewhere while somebody types in it takes the \
            question away. What was typed is kept: read it here and enter it elsewhere, or throw \
            it away.
            """, options: [discard]
    ) { run in
        if let name = run.invocation.value(discard.name) { return try throwAway(name, run) }
        let (drafts, names) = try run.withStore(for: .reading) { store in
            let drafts = try store.strandedDrafts()
            return (drafts, drafts.isEmpty ? [:] : try store.inspectionNames())
        }
        try run.emit(.array(drafts.map { $0.json(names) })) {
            var table = TextTable(["DRAFT", "INSPECTION", "TEXT"])
            for draft in drafts {
                table.append([
                    draft.name, draft.inspection.map { names[$0] ?? $0.rawValue } ?? "",
                    draft.draft.text.replacing("\n", with: " "),
                ])
            }
            return table.text
        }
        return .done
    }

    private static func throwAway(_ name: String, _ run: CommandRun) throws -> ExitCode {
        try run.withStore(for: .writing) { store in
            let named = try store.strandedDrafts().filter { $0.name == name }
            guard named.count == 1, let draft = named.first else {
                throw Failure(
                    .failed, "there is no draft '\(name)'", advice: "'walkdown drafts' lists them.")
            }
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
            "name": JSON(inspection.flatMap { names[$0] }), "question": .string(draft.field),
            "text": .string(draft.text), "typedAtUtc": .string(SyncTimestamp.text(draft.updatedAt)),
        ]
    }
}

extension DeviceStore {
    fileprivate func inspectionNames() throws -> [RecordID: String] {
        try Dictionary(
            inspections().map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    }
}
