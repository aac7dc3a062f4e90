internal import Replication

/// What is known of the pages of this cycle.
struct PagePlan: Equatable, Sendable {
    /// The cursors of all pages, to notice a server that goes round in a circle.
    private var cursors: Set<String> = []
    /// Pages in a row that brought nothing.
    private var emptyInARow = 0
    /// The cursor expired once and the pull began anew; twice in a cycle is the server's fault.
    var hasRestarted = false
    /// The digests differed and the pull began anew to mend that, once in a cycle.
    var hasRepaired = false
    /// Sent with the last page.
    var digest: DigestReport?
    /// The last page came, and nothing was pushed since.
    var areCurrent = false
    /// How often the queue was looked at again after a pull.
    var looks = 0

    /// A person who edits on and on must not keep a cycle from its end; the next one is near.
    static let mostLooks = 3
    /// More than any server needs to find its way past what this device does not see.
    static let mostEmptyInARow = 100
    /// Of one cycle: ten million records. The next cycle goes on from there.
    static let mostPages = 20_000

    /// Whether the pull comes to an end although more is to follow after this page.
    mutating func advances(_ page: PullResponse) -> Bool {
        let isNew = cursors.insert(page.nextCursor).inserted
        let isEmpty = page.deltaRecords.isEmpty && page.results.isEmpty && page.removed.isEmpty
        emptyInARow = isEmpty ? emptyInARow + 1 : 0
        guard page.hasMore else { return true }
        return isNew && emptyInARow <= Self.mostEmptyInARow && cursors.count <= Self.mostPages
    }

    /// The pull begins at the beginning.
    mutating func restart() {
        cursors = []
        emptyInARow = 0
    }
}

/// The second half of a cycle: pages come in, then forms, then the digests are compared.
extension Machine {
    mutating func pull(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.pulling, .pulled(.accepted(let page))): return received(page)
        case (.pulling, .pulled(.queued)):
            return finish(.refused(Refusal(.serverFault, status: 202)))
        case (.pulling, .pulled(.refused(let refusal))): return pullRefused(refusal)
        case (.applying(let page), .done): return applied(page)
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    private mutating func received(_ page: PullResponse) -> Instruction {
        guard pages.advances(page) else {
            return finish(.refused(Refusal(.serverFault, status: 200)))
        }
        return enter(.applying(page), .apply(page))
    }

    private mutating func applied(_ page: PullResponse) -> Instruction {
        countPulled(page.deltaRecords.count)
        guard !page.hasMore else { return enter(.pulling, .pull) }
        if isProbing {
            batches.isProbed = true
            return seal()
        }
        pages.digest = page.digest.flatMap { $0.position == page.nextCursor ? $0 : nil }
        pages.areCurrent = true
        guard pages.looks < PagePlan.mostLooks else { return findCopies() }
        // A parent that came with the pull frees its children; an edit may have been made meanwhile.
        pages.looks += 1
        return seal()
    }

    mutating func listForms() -> Instruction { enter(.listingForms, .listForms) }

    private mutating func pullRefused(_ refusal: Refusal) -> Instruction {
        guard refusal.kind == .cursorExpired, !pages.hasRestarted else {
            return finish(Self.ending(refusal))
        }
        pages.hasRestarted = true
        pages.restart()
        return enter(.restarting, .restartPull)
    }

    mutating func fetchForms(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.listingForms, .formsListed(.accepted(let listing))):
            return enter(.findingMissing, .findMissing(listing))
        case (.findingMissing, .formsMissing(let missing)):
            missingForms = missing.reversed()
            return nextForm()
        case (.fetchingForm, .formFetched(.accepted(let form))):
            guard let listing = missingForms.popLast() else {
                preconditionFailure("a form that was not asked for")
            }
            return enter(.storingForm, .storeForm(form, listing))
        case (_, .formsListed(.refused(let refusal))), (_, .formFetched(.refused(let refusal))):
            return finish(Self.ending(refusal))
        case (_, .formsListed(.queued)), (_, .formFetched(.queued)):
            return finish(.refused(Refusal(.serverFault, status: 202)))
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }

    mutating func nextForm() -> Instruction {
        if let next = missingForms.last { return enter(.fetchingForm, .fetchForm(next)) }
        if let refusal = unfinished { return finish(.refused(refusal)) }
        // Without a digest of this very position there is no proof.
        guard let digest = pages.digest else { return finish(.unproven(sites: [])) }
        return enter(.comparing, .compare(digest))
    }

    mutating func compare(_ event: Event) -> Instruction {
        switch (phase, event) {
        case (.comparing, .compared(let differing)) where differing.isEmpty:
            return finish(.synced)
        case (.comparing, .compared(let differing)):
            guard !pages.hasRepaired else { return finish(.unproven(sites: differing)) }
            pages.hasRepaired = true
            return enter(.repairing(sites: differing), .beginRepair(sites: differing))
        case (.repairing, .repairBegun(true)):
            pages.restart()
            return enter(.pulling, .pull)
        case (.repairing(let sites), .repairBegun(false)): return finish(.unproven(sites: sites))
        default: preconditionFailure("\(event) does not answer \(phase)")
        }
    }
}
