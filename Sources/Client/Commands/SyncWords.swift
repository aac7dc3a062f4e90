internal import Arguments
internal import Sync

/// What a person is told about the server and the way to it.
enum SyncWords {
    static let failure: Renderer.Translation = { error in
        guard let error = error as? SyncError else { return nil }
        return switch error.code {
        case .address: Failure(.usage, error.message)
        case .unreachable: Failure(.syncIncomplete, error.message)
        case .wrongServer, .codeUsed, .codeExpired, .otherTeam, .refused:
            Failure(.failed, error.message)
        }
    }

    /// Everything stays in the queue in each of these.
    static func failure(for refusal: Refusal) -> Failure {
        let kept = "Everything is kept and goes out with a later 'walkdown sync'."
        return switch refusal.kind {
        case .offline where refusal.fault?.isAlarm == true: alarm(refusal.fault, kept)
        case .offline:
            Failure(
                .syncIncomplete,
                refusal.fault.map(Sync.Enrolment.words)
                    ?? "what answers there is not the Walkdown server (a portal of this network?)",
                advice: kept)
        case .busy, .broken:
            Failure(
                .syncIncomplete,
                "the server is busy"
                    + (refusal.retryAfterSeconds.map {
                        "; it asks to wait " + counted(Int($0), "second", "seconds")
                    } ?? ""), advice: kept)
        case .unauthorised:
            Failure(
                .syncIncomplete, "the server does not know this device any more (401)",
                advice: "Everything is kept. Ask the administrator for a code; 'walkdown enroll"
                    + " --again URL CODE' makes the device known again, with all that waits here.")
        case .revoked:
            Failure(
                .revoked, "this device was revoked",
                advice: "Nothing was removed. Ask the administrator what to do with it.")
        case .upgradeNeeded:
            Failure(
                .syncIncomplete, "the server needs a newer walkdown",
                advice: "Everything is kept. Upgrade walkdown, then 'walkdown sync' again.")
        case .forked:
            Failure(
                .syncIncomplete, "the server goes on taking this device for a copy of another",
                advice: kept + " Ask the administrator.")
        case .cancelled: Failure(.syncIncomplete, "stopped before the end", advice: kept)
        case .oversized where refusal.isForeign:
            Failure(
                .syncIncomplete,
                "something before the server lets nothing of this size through (status"
                    + " \(refusal.status))", advice: kept)
        case .unacceptable, .oversized, .forbidden, .cursorExpired, .serverFault:
            Failure(
                .syncIncomplete,
                "the server refused (status \(refusal.status))"
                    + (refusal.message.isEmpty ? "" : ": " + refusal.message), advice: kept)
        }
    }

    /// No matter of signal: this must not read like being offline.
    private static func alarm(_ fault: TransportFault?, _ kept: String) -> Failure {
        let sentence = fault.map(Sync.Enrolment.words) ?? ""
        let advice =
            switch fault {
            case .clock: "Put the device's clock right, then 'walkdown sync' again."
            case .wrongPin, .untrusted, .handshake:
                "Nothing was sent. Somebody may stand between this device and its server, or the"
                    + " server was set up anew: ask the administrator before you go on."
            default: "Ask the administrator."
            }
        return Failure(.syncIncomplete, sentence, advice: advice + "\n" + kept)
    }
}
