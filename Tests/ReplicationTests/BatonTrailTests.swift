import Replication
import Testing

@Suite("Batons")
struct BatonTrailTests {
    private func trail(_ answered: [MutationID] = ["m1", "m2"]) -> BatonTrail {
        BatonTrail(current: "new", previous: "old", answered: answered)
    }

    @Test("who brings the newest baton goes on, whatever he sends")
    func next() {
        #expect(trail().meeting("new", ["m9"]) == .next)
        #expect(trail().meeting("new", []) == .next)
    }

    @Test("who brings the one before repeats something of what was lost, or is a copy")
    func repetition() {
        #expect(trail().meeting("old", ["m9", "m2"]) == .repetition)
        #expect(trail().meeting("old", ["m9"]) == .fork)
        #expect(trail([]).meeting("old", ["m9"]) == .repetition, "there was nothing to repeat")
    }

    @Test("any other baton is a copy's, none at all too", arguments: [nil, "older"] as [String?])
    func fork(baton: String?) {
        #expect(trail().meeting(baton, ["m1"]) == .fork)
    }

    @Test("a first batch whose answer was lost is repeated without a baton")
    func first() {
        let first = BatonTrail.after(nil, nil, ["m1"], next: "b1")
        #expect(first.meeting(nil, ["m1", "m2"]) == .repetition)
        #expect(first.meeting(nil, ["m2"]) == .fork)
        #expect(first.meeting("b1", ["m2"]) == .next)
    }

    @Test("what was sent with one baton adds up, until an answer is heard")
    func addsUp() {
        var trail = BatonTrail.after(nil, nil, ["m1", "m2"], next: "b1")
        trail = .after(trail, nil, ["m2", "m3"], next: "b2")
        #expect(trail.answered == ["m1", "m2", "m3"])
        #expect(trail.meeting(nil, ["m1"]) == .repetition)
        trail = .after(trail, "b1", ["m4"], next: "b3")
        #expect(trail.answered == ["m4"])
        #expect(trail.meeting("b1", ["m1"]) == .fork)
    }

    @Test("every answer to one baton carries the same one, so that any of them may be heard")
    func oneSuccessor() {
        let first = BatonTrail.after(nil, nil, ["m1"], next: "b1")
        let again = BatonTrail.after(first, nil, ["m1", "m2"], next: "b2")
        #expect(again.current == "b1" && again.previous == nil && again.number == 1)
        #expect(again.meeting("b1", ["m3"]) == .next)
        let next = BatonTrail.after(again, "b1", ["m3"], next: "b2")
        #expect(next.current == "b2" && next.number == 2, "answers are counted")
        #expect(next.meeting("b1", ["m1"]) == .fork)
    }

    @Test("a device that never hears an answer does not fill the server")
    func bounded() {
        var trail: BatonTrail?
        for batch in 0..<40 {
            let ids = (0..<50).map { MutationID("m\(batch)-\($0)") }
            trail = .after(trail, nil, ids, next: "b\(batch)")
        }
        #expect(trail?.answered.count == BatonTrail.mostAnswered)
        #expect(trail?.answered.last == "m39-49")
    }
}
