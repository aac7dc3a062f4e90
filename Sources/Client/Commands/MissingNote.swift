internal import Arguments
internal import LocalStore

/// The word of changes that were saved here and that nothing here has any more.
enum MissingNote {
    static let option = Option(
        "acknowledge",
        help: "Put away the word of saved changes that are missing, once they are looked for.")

    /// What is told until somebody puts it away.
    static func sentences(of status: StatusSummary) -> [String] {
        [
            status.missing > 0 ? sentence(for: status.missing) : nil,
            status.wasJournalGone ? gone : nil,
        ].compactMap { $0 }
    }

    private static func sentence(for count: Int) -> String {
        "at least " + counted(count, "change is", "changes are")
            + " missing that " + (count == 1 ? "was" : "were")
            + " saved here: the journal cannot be"
            + " read there, and the database did not have "
            + (count == 1 ? "it" : "them")
    }

    static let advice =
        "Look through what was entered last, and enter again what is not there. Then"
        + " 'walkdown doctor --acknowledge' puts this word away."

    private static let gone =
        "the journal was gone once, and was made anew: whether the database lacked what stood there alone"
        + " nobody knows"

    /// - Returns: what was done.
    static func acknowledge(on unlocked: UnlockedHome, _ run: CommandRun) throws -> String {
        guard let lease = unlocked.lease else { throw StoreError.readOnly }
        let store = try DeviceStore.open(
            home: unlocked.home, key: unlocked.key, access: .writer(lease),
            sources: run.storeSources)
        return try run.closing(store) { store in
            let count = try store.missingChanges()
            let wasGone = try store.wasJournalGone()
            guard count > 0 || wasGone else { return "nothing is missing that is known of" }
            try store.acknowledgeMissing()
            guard count > 0 else { return "the word of the journal that was gone is put away" }
            return "the word of " + counted(count, "missing change", "missing changes")
                + " is put away"
        }
    }
}
