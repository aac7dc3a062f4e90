internal import Crypto
internal import Replication
internal import SQLite
internal import Vault

/// Where a journal stands, and what seals it.
struct JournalParts: Sendable {
    var folder: any JournalFolder
    var cipher: JournalCipher

    init(_ folder: any JournalFolder, _ cipher: JournalCipher) {
        self.folder = folder
        self.cipher = cipher
    }

    init(of home: Home, key: SecretBytes) throws {
        self.init(DiskJournalFolder(path: home.journal), try JournalCipher.keyed(by: key))
    }

    /// - Throws: `StoreError.secondCopy` where the folder cannot be read.
    func read() throws -> JournalReading {
        do {
            return try JournalReading(folder, by: cipher)
        } catch let fault as JournalFault {
            throw StoreError.secondCopy(fault)
        }
    }
}

extension Journal {
    /// Reads what is there and holds it against the queue. Where the two are not equal in every row, the
    /// journal is written anew from the queue, after the queue has taken what only the journal knows:
    ///
    /// - Entries that follow the database's last transaction, durable ones: the database is an older
    ///   copy of itself, or its log is lost. They are applied.
    /// - The last entry, if no other follows it and the database does not know its transaction: nobody
    ///   was told that it is saved. It is offered.
    /// - A mutation of an earlier transaction that the queue has never heard of, or has otherwise: in
    ///   doubt, so offered.
    static func open(_ parts: JournalParts, on database: Connection, nowUtc: String) throws
        -> Journal
    {
        let reading: JournalReading
        do {
            reading = try parts.read()
        } catch {
            return try Journal(unreadable: error, parts, on: database)
        }
        var comparison = JournalComparison(reading)
        try comparison.requireSoundQueue(database)
        try comparison.complete(database)
        try comparison.log(on: database, nowUtc: nowUtc)
        return try Journal(
            JournalSegments(parts.folder, parts.cipher, after: reading), on: database,
            continuing: comparison.isEqual ? comparison.replay : nil,
            offering: comparison.offered)
    }
}

/// What stands in the journal and not in the database, until the next process that writes looks.
struct JournalBacklog: Equatable, Sendable {
    /// Mutations of transactions that count: that process takes them over.
    var behind = 0
    /// Changes of which nobody knows whether they count: it offers them.
    var offers: [OfferedChange] = []
}

/// The journal beside the queue.
struct JournalComparison {
    private let reading: JournalReading
    private(set) var replay: JournalReplay
    private(set) var offered: [JournalledOffer]
    /// Mutations that the queue took from the journal, or gave up on its word.
    private(set) var restored = 0
    private(set) var isEqual = false
    /// Changes that are in neither of the two any more.
    private var missing = 0

    init(_ reading: JournalReading) {
        self.reading = reading
        replay = reading.replay
        offered = replay.offered
    }

    /// Where the two differ, the journal is about to be written anew from the queue: it must not be the
    /// queue that is wrong. A page that could not be deciphered may read as any other one, and SQLCipher
    /// before 4.4.2 says nothing of it.
    ///
    /// - Throws: `StoreError.damaged`, before anything was written.
    func requireSoundQueue(_ database: Connection) throws {
        guard !replay.isEmpty, try !agrees(database) else { return }
        try database.forgetPages()
        let problems = try database.integrityProblems(limit: 10) + database.brokenRules()
        guard problems.isEmpty else {
            throw StoreError.damaged("the queue is not what its second copy says")
        }
    }

    /// Whether there is nothing to do.
    private func agrees(_ database: Connection) throws -> Bool {
        var replay = self.replay
        let counter = try database.transactionNumber()
        if let last = replay.undecided { replay.decide(committed: last.number <= counter) }
        guard replay.number == counter else { return false }
        let differing = try Differing(replay, JournalledRows(database))
        return differing.isNothing
    }

    /// Where the two do not say the same of what waits.
    private struct Differing {
        /// Mutations of the journal that the queue does not have in the same words.
        let inJournal: Set<String>
        private let hasOthersInQueue: Bool
        var isNothing: Bool { inJournal.isEmpty && !hasOthersInQueue }

        init(_ replay: JournalReplay, _ rows: JournalledRows) throws {
            var unheard = replay.standingIDs
            var isElsewhere = false
            try rows.each { mutation in
                if replay.kept[mutation.id]?.packed == mutation.packed {
                    unheard.remove(mutation.id)
                } else {
                    isElsewhere = true
                }
            }
            inJournal = unheard
            hasOthersInQueue = isElsewhere
        }
    }

    /// Gives the queue what only the journal knows, and takes from it what only the journal knows to be
    /// settled.
    mutating func complete(_ database: Connection) throws {
        missing = try missingChanges(beside: database)
        try followDatabase(database)
        // Where nothing was applied, the same is found again after a crash.
        try database.noteMissing(missing)
        if try isGone(beside: database) { try database.noteJournalGone() }
        let differing = try findOffers(database)
        let (origin, counter) = try (database.journalOrigin(), database.transactionNumber())
        isEqual =
            reading.isSound && !reading.lacksBeginning && !replay.isEmpty
            && replay.number == counter && differing.isNothing
            && offered == replay.offered && replay.origin == origin
    }

    /// Decides about the last entry, and offers what nobody knows to count. Reads the database only.
    private mutating func findOffers(_ database: Connection) throws -> Differing {
        let counter = try database.transactionNumber()
        try decideLast(database, counter)
        let rows = try JournalledRows(database)
        let differing = try Differing(replay, rows)
        try offerWhatIsMissing(differing.inJournal, rows, counter, database)
        return differing
    }

    private mutating func decideLast(_ database: Connection, _ counter: Int64) throws {
        if let last = replay.undecided {
            // The database that could tell was set aside.
            let isRebuilt = try database.metadataInteger("rebuilt_number") == counter
            try offer(last, isRebuilt ? .unknown : .unsaved, database)
            replay.decide(committed: false)
        }
    }

    /// What the next opening to write will bring into the database or offer. Writes nothing.
    ///
    /// The journal was read before the database. Another process may be writing, and its database is
    /// behind by no more than the last entry then, so that more than that is sure.
    func backlog(beside database: Connection) throws -> JournalBacklog {
        var next = self
        let counter = try database.transactionNumber()
        next.decideCommitted(upTo: counter)
        let isBehind = next.replay.durableNumber > counter
        let behind = next.replay.kept.values.count { isBehind && $0.number > counter }
        if next.replay.number == counter {
            _ = try next.findOffers(database)
        } else if isBehind {
            try next.decideLast(database, counter)
        }
        return JournalBacklog(
            behind: behind,
            offers: next.offered.dropFirst(replay.offered.count).map(OfferedChange.init))
    }

    /// There was a journal, and nothing of it can be read.
    func isGone(beside database: Connection) throws -> Bool {
        try replay.isEmpty && database.transactionNumber() > 0
    }

    /// Changes that the journal had once, that cannot be read there, and that the database has not.
    func missingChanges(beside database: Connection) throws -> Int {
        reading.missingChanges(beside: try database.transactionNumber())
    }

    private mutating func decideCommitted(upTo counter: Int64) {
        if let last = replay.undecided, last.number <= counter { replay.decide(committed: true) }
    }

    private mutating func followDatabase(_ database: Connection) throws {
        let counter = try database.transactionNumber()
        decideCommitted(upTo: counter)
        // Of one that was not to be durable a power cut may take the database's half: its page or
        // verdict comes again.
        guard replay.durableNumber > counter else { return }
        let newer = replay.kept.filter { $0.value.number > counter }
        let settled = try settled(in: newer, database)
        try database.transaction {
            try database.whileApplying {
                try database.withdraw(settled)
                try database.restore(
                    newer.values.compactMap(\.mutation), incomplete: replay.incomplete)
                for (key, value) in replay.origin?.metadata ?? [:] {
                    try database.setMetadata(key, value)
                }
                try database.setMetadata("transaction_number", .integer(replay.number))
                try database.setMetadata("baton", DatabaseValue(replay.position.baton))
                try database.keepUnheardFromQueue()
                try database.raiseCounters(above: replay, by: 0)
                try database.noteMissing(missing)
            }
        }
        restored = newer.count
    }

    /// Mutations of which nothing waits any more. A sound journal has each one that does: what else
    /// waits in an older database was settled by an entry that has left the journal since. Not in one
    /// from before a rebuilding, which may have lost what only that database still has.
    private func settled(
        in newer: [String: JournalReplay.Kept], _ database: Connection
    ) throws -> [String] {
        let told = newer.filter { !$0.value.stands }.keys
        let line = try database.journalOrigin().metadata["rebuilt_number"]
        guard reading.isSound, line == replay.origin?.metadata["rebuilt_number"] else {
            return told.sorted()
        }
        let waiting = try JournalledRows(database).waitingIDs()
        return waiting.filter { replay.kept[$0]?.stands != true }
    }

    private mutating func offer(
        _ transaction: JournalTransaction, _ doubt: OfferedChange.Doubt, _ database: Connection
    ) throws {
        for change in transaction.changes {
            var changed: JournalledMutation
            switch change {
            case .settled: continue
            case .standing(let mutation): changed = mutation
            case .amended(let mutation, _): changed = mutation
            }
            let before = replay.kept[changed.id]?.mutation?.fields ?? [:]
            changed.fields = changed.fields.filter { before[$0.key]?.value != $0.value.value }
            if let news = try database.news(in: changed) {
                offered.append(JournalledOffer(mutation: news, doubt: doubt))
            }
        }
    }

    /// Mutations of which the queue has never heard, or heard something else, although it knows their
    /// transactions: somebody or something has changed the database past the journal. (Where the
    /// journal has holes, or is the older one, that explains it.)
    ///
    /// - Parameter ids: mutations of the journal that the queue does not have in the same words.
    private mutating func offerWhatIsMissing(
        _ ids: Set<String>, _ rows: JournalledRows, _ counter: Int64, _ database: Connection
    ) throws {
        let isTrusted = reading.isSound && replay.number == counter
        let others = ids.compactMap { replay.kept[$0]?.mutation }
        for mutation in others.sorted(by: { $0.sequence < $1.sequence }) {
            let isKnown = try database.hasMutation(mutation.id)
            guard try !isKnown || isTrusted && rows.row(mutation.id) != nil else { continue }
            if let news = try database.news(in: mutation) {
                offered.append(JournalledOffer(mutation: news, doubt: .otherwise))
            }
        }
    }

    /// For support: what was found, in numbers.
    func log(on database: Connection, nowUtc: String) throws {
        let new = offered.count - replay.offered.count
        guard restored + new + reading.lost + reading.faults.count + missing > 0 else { return }
        let detail =
            "restored \(restored), offered \(new), lost \(reading.lost), missing \(missing),"
            + " unreadable files \(reading.faults.count)"
        try database.execute(
            "INSERT INTO __sync_log (at_utc, event, detail) VALUES (?, 'journal', ?)",
            [.text(nowUtc), .text(detail)])
    }
}

extension Connection {
    func hasMutation(_ id: String) throws -> Bool {
        try first("SELECT 1 FROM __sync_outbox WHERE mutation_id = ?", [.text(id)]) { _ in true }
            ?? false
    }

    /// What of a mutation this device does not show already; nil where it shows all of it.
    func news(in mutation: JournalledMutation) throws -> JournalledMutation? {
        let record = RecordID(mutation.record)
        let isDeleted = try first(
            "SELECT is_deleted FROM record WHERE id = ?", [.text(mutation.record)]
        ) { try $0.flag(0) }
        guard let isDeleted else { return mutation }
        var news = mutation
        if news.operation == "INSERT" { news.operation = "UPDATE" }
        news.fields = try mutation.fields.filter { name, field in
            name == Mutation.deletedField
                ? (field.value == .integer(1)) != isDeleted
                : try DatabaseValue(value(of: name, in: record)) != field.value
        }
        return news.fields.isEmpty ? nil : news
    }
}
