package import Coding
internal import Forms
package import LocalStore
package import Replication

// The device's store as the worker sees it. Everything that matters is the store's own; here are
// only the names, and what a cycle leaves behind for people.

extension DeviceStore: Replica {
    package func recover() throws { try recoverInFlight() }

    package func settle(_ request: PushRequest, by response: PushResponse) throws {
        // What came of it shows in the outbox, which the report counts at the end.
        _ = try apply(response, to: request)
    }

    package func blame(_ id: MutationID, error: String) throws {
        try countFailure(id, error: error)
    }

    package func take(_ page: PullResponse) throws {
        _ = try apply(page: page)
    }

    package func wantsForm(_ listing: FormListing) throws -> Bool {
        guard
            let held = try forms().first(where: {
                $0.id == listing.id && $0.version == listing.version
            })
        else { return try !isSetAside(form: listing.id, version: listing.version) }
        // Closing a form changes its state and not its definition.
        if held.state != listing.state {
            try setState(listing.state, ofForm: listing.id, version: listing.version)
        }
        return false
    }

    /// A form that cannot be read, or is another than the one that was listed, is set aside: its
    /// inspections wait for a newer walkdown or a mended server, and the others go on.
    package func store(form: JSON, listing: FormListing) throws {
        do {
            let definition = try FormDefinition(json: form)
            if definition.id == listing.id, definition.version == listing.version {
                return try store(form: definition, state: listing.state)
            }
            try log("form", "\(listing.id) \(listing.version) came as another form")
        } catch let error as FormError {
            try log("form", "\(listing.id) \(listing.version) cannot be read: \(error)")
        }
        try setAside(form: listing.id, version: listing.version)
    }

    package func outboxCounts() throws -> OutboxCounts {
        let counts = try waitingCounts()
        return OutboxCounts(
            pending: counts["PENDING"] ?? 0, inFlight: counts["IN_FLIGHT"] ?? 0,
            failed: counts["FAILED"] ?? 0, conflict: counts["CONFLICT"] ?? 0,
            inReview: counts["IN_REVIEW"] ?? 0)
    }

    package func keepUp(while goOn: () -> Bool) throws {
        do {
            try crossBarrier()
            guard try isUpkeepDue() else { return }
            try upkeep(while: goOn)
        } catch {
            // For support: what fails is tried again, and takes nothing that waits.
            try log("upkeep", "\(error)")
            throw error
        }
    }

    package func note(_ report: CycleReport, at now: Int64) throws {
        try note(
            CycleNote(
                digest: report.outcome.digest, isReachable: report.outcome.metServer,
                isUpgradeNeeded: report.outcome.wantsUpgrade, isRevoked: report.outcome.isRevoked,
                detail: "pushed \(report.pushed), pulled \(report.pulled), \(report.outcome.label)")
        )
    }
}

extension DeviceStore {
    /// The wire to this device's server, by what enrolment left here.
    /// - Throws: `StoreError.damaged` where that is missing or unreadable: nobody typed it.
    package func transport() throws -> any Transport { try transport(to: nil) }

    /// Whether a server knows this device. Asks, and changes nothing.
    ///
    /// - Parameter address: of the server, where it has moved.
    /// - Throws: `Refusal` where it gives another answer, or none.
    package func isKnown(at address: ServerAddress) throws -> Bool {
        let transport = try transport(to: address)
        defer { transport.disconnect() }
        switch transport.send(WireCall(path: "/api/v1/forms")).reply({ _ in true }) {
        case .accepted, .queued: return true
        case .refused(let refusal) where refusal.kind == .unauthorised && !refusal.isForeign:
            return false
        case .refused(let refusal): throw refusal
        }
    }

    private func transport(to moved: ServerAddress?) throws -> any Transport {
        guard let enrolment = try enrolment() else {
            throw StoreError.damaged("it does not know its server")
        }
        let address: ServerAddress
        do {
            address = try moved ?? ServerAddress(parsing: enrolment.serverURL)
        } catch {
            throw StoreError.damaged("the address of its server is unreadable")
        }
        // Plain HTTP, on loopback only, has no keys to pin.
        let trust: ServerTrust =
            address.isEncrypted
            ? .pinned(pem: Array(enrolment.caPem.utf8), pins: enrolment.pins) : .anyone
        let node = try position().node
        return CurlTransport(
            address: address, trust: trust,
            credentials: CurlTransport.Credentials(token: enrolment.token, node: node.rawValue))
    }
}

extension CycleOutcome {
    /// What it says of the copies; nil where they were not compared.
    fileprivate var digest: DigestState? {
        switch self {
        case .synced: .equal
        case .unproven(let sites): sites.isEmpty ? nil : .different
        case .refused, .storeFailed, .cancelled: nil
        }
    }

    /// Whether our server answered; nil where the cycle ended for a reason of our own.
    fileprivate var metServer: Bool? {
        switch self {
        case .synced, .unproven: true
        case .refused(let refusal): refusal.kind != .offline
        case .storeFailed, .cancelled: nil
        }
    }

    fileprivate var wantsUpgrade: Bool {
        if case .refused(let refusal) = self { refusal.kind == .upgradeNeeded } else { false }
    }

    /// nil where the server did not say.
    fileprivate var isRevoked: Bool? {
        switch self {
        case .synced, .unproven: false
        case .refused(let refusal): refusal.kind == .revoked ? true : nil
        case .storeFailed, .cancelled: nil
        }
    }

    /// For the log: what happened, in words that contain no answer and no address.
    package var label: String {
        switch self {
        case .synced: "synced"
        case .unproven(let sites): "unproven at \(sites.count) sites"
        case .refused(let refusal):
            "\(refusal.kind.rawValue) \(refusal.status)" + (refusal.fault.map { " \($0)" } ?? "")
        case .storeFailed(let reason): "store failed: \(reason)"
        case .cancelled: "cancelled"
        }
    }
}
