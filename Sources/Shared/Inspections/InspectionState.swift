import Phrases

/// Where an inspection stands in its life. The raw values are the words of the wire and of JSON.
///
/// *assigned → in progress → complete → approved | returned*; *returned → in progress*;
/// *complete → in progress* by reopening. An approved inspection is locked.
package enum InspectionState: String, Sendable, CaseIterable {
    case assigned, inProgress, complete, returned, approved

    /// Who asks for a change of state.
    package enum Role: Sendable, CaseIterable {
        case inspector, supervisor
    }

    /// The words on a screen.
    package var label: String {
        switch self {
        case .assigned: say("assigned")
        case .inProgress: say("in progress")
        case .complete: say("complete")
        case .returned: say("returned")
        case .approved: say("approved")
        }
    }

    package func mayBecome(_ next: InspectionState, by role: Role) -> Bool {
        switch (self, next, role) {
        case (.assigned, .inProgress, .inspector),
            (.inProgress, .complete, .inspector),
            (.complete, .inProgress, .inspector),
            (.returned, .inProgress, .inspector),
            (.complete, .approved, .supervisor),
            (.complete, .returned, .supervisor):
            true
        default:
            false
        }
    }

    /// Throws a sentence's worth of reason where the change is not allowed.
    package func become(
        _ next: InspectionState, by role: Role
    ) throws(StateRefusal) -> InspectionState {
        guard mayBecome(next, by: role) else {
            throw StateRefusal(from: self, to: next, role: role)
        }
        return next
    }

    /// The state after an answer was changed: work on an assigned or returned inspection begins
    /// with its first answer. Throws where answers are closed.
    package func afterAnswer() throws(StateRefusal) -> InspectionState {
        switch self {
        case .assigned, .returned, .inProgress: .inProgress
        case .complete, .approved:
            throw StateRefusal(from: self, to: .inProgress, role: .inspector)
        }
    }

    /// Whether an inspector may change answers as things stand.
    package var takesAnswers: Bool { self != .complete && self != .approved }

    /// A new inspection of one's own begins here; one that was assigned begins at `.assigned`.
    package static let ofNewInspection = InspectionState.inProgress

    /// States from the one that wins to the one that loses, when two devices set it at once.
    package static let ranked: [InspectionState] = [
        .approved, .returned, .complete, .inProgress, .assigned,
    ]
}

/// Why an inspection cannot go from one state to another.
package struct StateRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    package let from: InspectionState
    package let to: InspectionState
    package let role: InspectionState.Role

    package init(from: InspectionState, to: InspectionState, role: InspectionState.Role) {
        self.from = from
        self.to = to
        self.role = role
    }

    package var description: String {
        switch (from, to) {
        case (.approved, _):
            say("the inspection is approved and locked")
        case (.complete, .inProgress):
            say("the inspection is complete; reopen it first")
        case (_, .approved), (_, .returned):
            role == .inspector
                ? say("only a supervisor approves or returns an inspection")
                : say("only a complete inspection can be \(to.label)")
        default:
            say("an inspection that is \(from.label) cannot become \(to.label)")
        }
    }
}
