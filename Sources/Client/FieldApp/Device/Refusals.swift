import Forms
import Inspections
import LocalStore
import Phrases
import Sync
import Vault

extension StoreRefusal {
    /// No text holds an answer: the store's errors have none.
    init(_ error: any Error) {
        guard let error = error as? StoreError else {
            if let refusal = error as? Completion.Refusal {
                self.init(.constraint, refusal.sentence)
                return
            }
            if let refusal = error as? AnswerRefusal {
                self.init(.constraint, refusal.sentence)
                return
            }
            if let refusal = error as? MoveRefusal {
                self.init(.other, refusal.sentence)
                return
            }
            self.init(.other, "\(error)")
            return
        }
        switch error {
        case .refused(.queueFull, _): self.init(.queueFull, LocalStore.Refusal.queueFull.sentence)
        case .refused(let refusal, _): self.init(.constraint, refusal.sentence)
        case _ where error.isDiskFull: self.init(.disk, say("the disk is full"))
        case _ where error.isDiskFault: self.init(.disk, say("the disk does not work"))
        default: self.init(.other, error.description)
        }
    }
}

extension UnlockRefusal {
    init(_ error: any Error) {
        switch error {
        case VaultError.wrongPIN(_, let wait): self = wait > 0 ? .wrongPINAndWait(wait) : .wrongPIN
        case VaultError.wrongPINOfOne(_, _, let wait): self = .wrongPINOfOne(wait)
        case VaultError.otherKey(_, let device):
            self = .failed(
                say(
                    "vault.json is of device \(device), not of this one; 'walkdown doctor' says more"
                ))
        case VaultError.delayed(let seconds): self = .delayed(seconds)
        case VaultError.unusablePIN: self = .tooShort
        case VaultError.outOfMemory: self = .failed(say("Not enough memory to check the PIN"))
        case VaultError.damaged(let what): self = .failed(say("vault.json is damaged: \(what)"))
        case VaultError.notEnrolled: self = .failed(say("This device is not enrolled"))
        case let error as StoreError where error.isDamage:
            self = .failed(say("The database is damaged; 'walkdown doctor --repair' makes it anew"))
        case let error as StoreError: self = .failed(error.description)
        default: self = .failed("\(error)")
        }
    }
}

extension SyncNews {
    /// Nil where there is nothing to tell yet.
    init?(_ state: SyncState) {
        switch state {
        case .syncing: self = .started
        case .moving(let progress):
            self = .moving(
                sent: progress.pushed, of: progress.toPush, fetched: progress.pulled)
        case .off: self = .offline(say("switched off"))
        case .resting(nil): return nil
        case .resting(let report?): self.init(report)
        }
    }

    private init?(_ report: CycleReport) {
        switch report.outcome {
        case .synced, .unproven:
            self = .finished(
                pushed: report.pushed, pulled: report.pulled, isComplete: report.isComplete)
        case .cancelled: self = .offline(say("stopped"))
        case .storeFailed(let reason): self = .failed(reason)
        case .refused(let refusal): self.init(refusal)
        }
    }

    private init(_ refusal: Sync.Refusal) {
        switch refusal.kind {
        case .offline:
            let words =
                refusal.fault.map(Enrolment.words)
                ?? say("what answers is not the server (a portal of this network?)")
            self = refusal.fault?.isAlarm == true ? .failed(words) : .offline(words)
        case .busy, .broken: self = .offline(say("the server is busy"))
        case .cancelled: self = .offline(say("stopped"))
        case .revoked: self = .revoked
        case .unauthorised: self = .failed(say("the server does not know this device any more"))
        case .upgradeNeeded: self = .failed(say("the server needs a newer walkdown"))
        case .forked: self = .failed(say("the server takes this device for a copy"))
        case .unacceptable, .oversized, .forbidden, .cursorExpired, .serverFault:
            self = .failed(say("the server refused (status \(refusal.status))"))
        }
    }
}

extension CycleOutcome {
    /// Nil where nothing was compared.
    var digestsAgree: Bool? {
        switch self {
        case .synced: true
        case .unproven(let sites): sites.isEmpty ? nil : false
        case .refused, .storeFailed, .cancelled: nil
        }
    }
}

extension Completion.Refusal {
    fileprivate var sentence: String {
        switch self {
        case .state: say("another state came in meanwhile; it cannot be completed now")
        case .problems(let problems)
        where problems.allSatisfy({ $0.problem == .unexplainedFinding }):
            say("a critical finding does not say what is wrong; F8 goes to it")
        case .problems(let problems):
            problems.count == 1
                ? say("an answer is missing or wrong")
                : say("\(problems.count) answers are missing or wrong")
        }
    }
}
