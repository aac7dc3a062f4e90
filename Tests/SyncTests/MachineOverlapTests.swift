import Coding
import Replication
import Sync
import Testing

/// Batches of two, so that four mutations are a long queue.
@Suite("Sync machine: the next batch while one is under way")
struct MachineOverlapTests {
    private let first = Wire.request(1...2)
    private let second = Wire.request(3...4)

    private func exchanging() -> Play {
        var play = Play(batchesOf: 2)
        play.expect(.begin, .recover)
        play.expect(.done, .seal(limit: 2, skipping: []))
        play.expect(.sealed(first), .exchange(Exchange(request: first, limit: 2, skipping: [])))
        return play
    }

    @Test("an answer is settled while the batch after it is under way, until none follows")
    func chain() {
        var play = exchanging()
        let (one, two) = (Wire.response(first), Wire.response(second))
        play.expect(
            .exchanged(.accepted(one), next: second), .adopt(one, next: second))
        play.expect(
            .adopted(second),
            .exchange(
                Exchange(
                    request: second, before: Exchange.Answered(one, to: first), limit: 2,
                    skipping: Wire.ids(1...2))))
        play.expect(.exchanged(.accepted(two), next: nil), .settle(two, second))
        play.expect(.done, .seal(limit: 2, skipping: Wire.ids(1...4)))
        play.expect(.sealed(nil), .pull)
        #expect(play.machine.pushed == 4)
    }

    @Test("a batch that is not full is the last one, and goes by itself")
    func short() {
        var play = Play(batchesOf: 2)
        play.expect(.begin, .recover)
        play.expect(.done, .seal(limit: 2, skipping: []))
        let request = Wire.request(1...1)
        play.expect(.sealed(request), .push(request))
    }

    @Test("whatever is no answer puts both batches back")
    func refused() {
        var play = exchanging()
        let refusal = Refusal(.offline, fault: .timedOut)
        play.expect(.exchanged(.refused(refusal), next: second), .recover)
        play.expect(.done, .finish(.refused(refusal)))
        play = exchanging()
        play.expect(.exchanged(.refused(Refusal(.broken, status: 500)), next: second), .recover)
        play.expect(.done, .pull)
        play = exchanging()
        play.expect(
            .exchanged(.refused(Refusal(.unacceptable, status: 400)), next: second), .recover)
        play.expect(.done, .seal(limit: 1, skipping: []))
        // One thing after the other, as long as a culprit is looked for.
        let alone = Wire.request(1...1)
        play.expect(.sealed(alone), .push(alone))
    }

    @Test("an answer that has to be settled first puts the prepared batch back")
    func settledFirst() {
        var play = exchanging()
        let response = Wire.response(first)
        play.expect(.exchanged(.accepted(response), next: second), .adopt(response, next: second))
        play.expect(.adopted(nil), .settle(response, first))
        play.expect(.done, .recover)
        play.expect(.done, .seal(limit: 2, skipping: Wire.ids(1...2)))
    }

    @Test("an answer to a part of the batch, or a ticket, puts the prepared batch back")
    func partial() {
        var play = exchanging()
        var response = Wire.response(first)
        response.results.removeLast()
        play.expect(.exchanged(.accepted(response), next: second), .settle(response, first))
        play.expect(.done, .recover)
        play.expect(.done, .seal(limit: 2, skipping: Wire.ids(1...1)))
        play = exchanging()
        play.expect(.exchanged(.queued, next: second), .keepTicket(first))
        play.expect(.done, .recover)
        play.expect(.done, .seal(limit: 2, skipping: Wire.ids(1...2)))
    }

    @Test("a verdict that tells of a copy comes before everything else")
    func copy() {
        var play = exchanging()
        var response = Wire.response(first)
        response.results[1].status = .rejected
        response.results[1].error = .contentMismatch
        play.expect(.exchanged(.accepted(response), next: second), .takeNewNode)
        play.expect(.done, .settle(response, first))
        play.expect(.done, .recover)
    }

    @Test("asked to stop in between, it puts everything back that has no settled answer")
    func stop() {
        var play = exchanging()
        let response = Wire.response(first)
        play.expect(.exchanged(.accepted(response), next: second), .adopt(response, next: second))
        play.expect(.stop, .recover)
        play.expect(.done, .finish(.cancelled))
    }
}
