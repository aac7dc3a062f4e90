package import Replication
internal import SQLite

/// What applying a page did.
package struct PageReport: Sendable, Equatable {
    /// Records that were new here or newer than what was here.
    package var records = 0
    package var removed = 0
    package var verdicts = VerdictReport()
    /// The sites whose digest is not the server's; nil where they could not be compared.
    package var sitesDiffering: [String]?

    package init() {}
}

extension DeviceStore {
    /// Applies one page in slices of about 60 fields. The cursor is written once, with the last
    /// slice, so that it is never ahead of the applied rows.
    @discardableResult
    package func apply(page: PullResponse) throws -> PageReport {
        var report = PageReport()
        let isFirst = try position().cursor == nil
        // A page from the middle, of an epoch whose beginning this device has not seen: the pull
        // begins at the beginning.
        guard try !meetEpoch(of: page.server) || isFirst else { return report }
        let plan = ApplyPlan(page: page)
        let endsFullPull = try !page.hasMore && read { try $0.fullPull() } != .idle
        for (index, slice) in plan.slices.enumerated() {
            let isLast = index == plan.slices.count - 1 && !endsFullPull
            // The server forgets a decision once a cursor has passed it: with one on board, the
            // page has to be on the disk before its cursor is sent.
            try applySlice(durably: isLast && !page.results.isEmpty) { application in
                // First of all, so that an edit between two slices counts from what it has seen.
                if index == 0 { try application.note(page.server) }
                try application.take(slice, &report)
                guard isLast else { return }
                if !page.hasMore { try application.database.forgetTaken() }
                try application.database.keep(cursor: page.nextCursor)
            }
        }
        if endsFullPull { try endFullPull(page, &report) }
        if !page.hasMore, let digest = page.digest, digest.position == page.nextCursor {
            report.sitesDiffering = try sitesDiffering(from: digest)
        }
        return report
    }

    /// What is still marked the server does not have. In slices, and the cursor last.
    private func endFullPull(_ page: PullResponse, _ report: inout PageReport) throws {
        var last = RecordID("")
        while case let marked = try read({ try $0.unseen(after: last, count: 30) }),
            let next = marked.last?.id
        {
            try applySlice { application in
                for (id, mark) in marked where try application.settleUnseen(id, mark) {
                    report.removed += 1
                }
            }
            last = next
        }
        try applySlice(durably: !page.results.isEmpty) { application in
            if try application.database.fullPull() == .repair { try application.recountSums() }
            try application.database.setMetadata("full_pull", .integer(FullPull.idle.rawValue))
            try application.database.forgetTaken()
            try application.database.keep(cursor: page.nextCursor)
        }
    }

    /// Settles what an answer to a push names. What it does not name goes back to PENDING.
    ///
    /// The baton is written with the first verdicts: whatever is sent again after a crash in here
    /// carries the one that the server expects.
    @discardableResult
    package func apply(_ response: PushResponse, to request: PushRequest) throws -> VerdictReport {
        _ = try meetEpoch(of: response.server)
        let asked = Set(request.mutations.map(\.id))
        let verdicts = response.results.filter { asked.contains($0.mutationId) }
        let plan = ApplyPlan(answer: verdicts)
        var report = PageReport()
        for (index, slice) in plan.slices.enumerated() {
            try applySlice(ofAnswer: true) { application in
                application.serverLamport = response.server.lamport
                if index == 0 {
                    try application.note(response.server)
                    try application.database.takeBaton(of: response)
                }
                try application.take(slice, &report)
            }
        }
        try returnToQueue(asked.subtracting(verdicts.map(\.mutationId)).sorted())
        return report.verdicts
    }

    /// Where this device stands, and what it holds back, for the server's overview.
    package func pullRequest() throws -> PullRequest {
        if try read({ try $0.wantsAnswers() && $0.fullPull() == .idle }) { try restartPull() }
        return try read { database in
            PullRequest(
                cursor: try database.metadataText("cursor"), report: try database.deviceReport())
        }
    }

    /// Pages of the log, 256 KiB, after which a slice waits for the disk.
    private static let pagesAtOnce = 64

    /// One slice in one transaction with the apply guard up. Unless `durably`, it need not be on the
    /// disk when this returns: what a power cut takes is pulled again, and the next edit, which is
    /// synchronised, takes everything before it along. So that this is never much, a slice waits for
    /// the disk now and then: somebody's edit would have to otherwise. Of an answer it is never much
    /// before the next batch is sealed.
    private func applySlice(
        durably: Bool = false, ofAnswer: Bool = false, _ body: (RemoteApplication) throws -> Void
    ) throws {
        let writer = try writer
        let now = SyncTimestamp.text(sources.now())
        let newID = sources.newID
        try StoreError.translating {
            try writer.perform { database in
                let waits =
                    durably || !ofAnswer && database.unsynchronizedPages >= Self.pagesAtOnce
                if !waits { try database.setSynchronous(.normal) }
                let outcome = Result {
                    try journalled(on: database, isDurable: waits) {
                        try database.whileApplying {
                            let application = RemoteApplication(
                                database: database, nowUtc: now, newID: newID)
                            try body(application)
                            try database.removeLeft(nowUtc: now)
                            try application.writeSiteSums()
                        }
                    }
                }
                if !waits { try database.setSynchronous(.full) }
                try outcome.get()
                try logKeeper?.noteSlice(on: database)
            }
        }
    }
}

extension Connection {
    /// From now on bases are learnt under this cursor.
    fileprivate func keep(cursor: String) throws {
        try setMetadata("cursor", .text(cursor))
    }
}
