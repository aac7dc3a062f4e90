import Inspections
import Testing

@Suite("Inspection states")
struct InspectionStateTests {
    typealias Step = (InspectionState, InspectionState, InspectionState.Role)

    static let allowed: [Step] = [
        (.assigned, .inProgress, .inspector),
        (.inProgress, .complete, .inspector),
        (.complete, .inProgress, .inspector),
        (.returned, .inProgress, .inspector),
        (.complete, .approved, .supervisor),
        (.complete, .returned, .supervisor),
    ]

    @Test("only the steps of the product are allowed, and only to those who may make them")
    func table() {
        for from in InspectionState.allCases {
            for to in InspectionState.allCases {
                for role in InspectionState.Role.allCases {
                    let expected = Self.allowed.contains { $0 == (from, to, role) }
                    #expect(from.mayBecome(to, by: role) == expected, "\(from) → \(to) by \(role)")
                }
            }
        }
    }

    @Test("the first answer begins the work on an assigned or returned inspection")
    func firstAnswer() throws {
        #expect(try InspectionState.assigned.afterAnswer() == .inProgress)
        #expect(try InspectionState.returned.afterAnswer() == .inProgress)
        #expect(try InspectionState.inProgress.afterAnswer() == .inProgress)
    }

    @Test("a complete inspection asks to be reopened, an approved one is locked")
    func closed() {
        #expect(throws: StateRefusal.self) { try InspectionState.complete.afterAnswer() }
        #expect(throws: StateRefusal.self) { try InspectionState.approved.afterAnswer() }
        let complete = StateRefusal(from: .complete, to: .inProgress, role: .inspector)
        #expect(complete.description.contains("reopen"))
        let approved = StateRefusal(from: .approved, to: .inProgress, role: .inspector)
        #expect(approved.description.contains("locked"))
        for state in InspectionState.allCases {
            let closed = state == .complete || state == .approved
            #expect(state.takesAnswers == !closed)
        }
    }

    @Test("when two devices set the state at once, approval stands over all, assigned under all")
    func rank() {
        #expect(
            BuiltInField.mergePolicy(of: "@state")
                == "rank:approved,returned,complete,inProgress,assigned")
        #expect(BuiltInField.mergePolicy(of: "@due") == "lww")
        #expect(Set(InspectionState.ranked) == Set(InspectionState.allCases))
    }
}
