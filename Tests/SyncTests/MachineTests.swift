import Coding
import Replication
import Sync
import Testing

/// Runs a machine by hand: each line gives an event and says which instruction must follow.
struct Play {
    var machine: Machine
    private(set) var last = Machine.Instruction.recover

    init(batchesOf most: Int = PushRequest.mostMutations) {
        machine = Machine(batchesOf: most)
    }

    mutating func expect(
        _ event: Machine.Event, _ expected: Machine.Instruction,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        last = machine.handle(event)
        #expect(last == expected, sourceLocation: sourceLocation)
    }

    /// Begins a cycle and pushes one batch; the answer is the caller's.
    static func pushing(_ count: Int) -> (Play, PushRequest) {
        var play = Play()
        let request = Wire.request(1...count)
        play.expect(.begin, .recover)
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(request), .push(request))
        return (play, request)
    }

    /// Begins a cycle with nothing to push.
    static func pulling() -> Play {
        var play = Play()
        play.expect(.begin, .recover)
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .pull)
        return play
    }
}

@Suite("Sync machine: the way through")
struct MachineTests {
    @Test("with nothing to send and nothing to fetch, equal digests make it synced")
    func quiet() {
        var play = Play.pulling()
        let page = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        play.expect(.formsListed(.accepted([])), .findMissing([]))
        play.expect(.formsMissing([]), .compare(page.digest!))
        play.expect(.compared(differing: []), .finish(.synced))
        #expect(!play.machine.madeProgress)
    }

    @Test("what waits for another change goes behind it in the same cycle, and not without end")
    func heldBehind() {
        var (play, first) = Play.pushing(1)
        let wait = Wire.response(first, .held)
        var offered: Set<MutationID> = ["m1"]
        for number in 2...5 {
            play.expect(.pushed(.accepted(wait)), .settle(wait, first))
            play.expect(.done, .seal(limit: 50, skipping: offered))
            let next = Wire.request([number])
            play.expect(.sealed(next), .push(next))
            play.expect(.pushed(.accepted(Wire.response(next))), .settle(Wire.response(next), next))
            offered.insert(Wire.id(number))
            play.expect(.done, .seal(limit: 50, skipping: offered))
            guard number < 5 else { break }
            play.expect(.sealed(nil), .seal(limit: 50, skipping: offered.subtracting(["m1"])))
            play.expect(.sealed(first), .push(first))
        }
        play.expect(.sealed(nil), .pull)
    }

    @Test(
        "so does what was judged before that in one answer", arguments: [true, false])
    func heldBefore(heldComesFirst: Bool) {
        var (play, both) = Play.pushing(2)
        var statuses: [Verdict.Status] = [.held, .applied]
        if !heldComesFirst { statuses.reverse() }
        let results = zip(both.mutations, statuses).map { mutation, status in
            Verdict(mutationId: mutation.id, status: status)
        }
        let answer = PushResponse(results: results, baton: nil, server: Wire.server)
        play.expect(.pushed(.accepted(answer)), .settle(answer, both))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        guard heldComesFirst else { return play.expect(.sealed(nil), .pull) }
        play.expect(.sealed(nil), .seal(limit: 50, skipping: ["m2"]))
    }

    @Test("batches go out until none is waiting, then pages come in until there is no more")
    func pushThenPull() {
        var (play, request) = Play.pushing(2)
        let response = Wire.response(request)
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        play.expect(.sealed(nil), .pull)
        let first = Wire.page("c1", records: 3, hasMore: true)
        play.expect(.pulled(.accepted(first)), .apply(first))
        play.expect(.done, .pull)
        let second = Wire.page("c2", records: 1, digest: true)
        play.expect(.pulled(.accepted(second)), .apply(second))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        #expect(play.machine.pushed == 2)
        #expect(play.machine.pulled == 4)
    }

    @Test("T10 what can be sent only after the pull, or came up during it, goes in the same cycle")
    func pushAfterPull() {
        var play = Play.pulling()
        let first = Wire.page("c1", records: 1)
        play.expect(.pulled(.accepted(first)), .apply(first))
        play.expect(.done, .seal(limit: 50, skipping: []))
        let request = Wire.request(1...1)
        play.expect(.sealed(request), .push(request))
        let response = Wire.response(request)
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...1)))
        play.expect(.sealed(nil), .pull)
        let second = Wire.page("c2", records: 1)
        play.expect(.pulled(.accepted(second)), .apply(second))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...1)))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
    }

    @Test("somebody who edits on and on does not keep a cycle from its end")
    func endlessEdits() {
        var play = Play.pulling()
        for round in 1...3 {
            let page = Wire.page("c\(round)")
            play.expect(.pulled(.accepted(page)), .apply(page))
            let before = round == 1 ? [] : Wire.ids(1...(round - 1))
            play.expect(.done, .seal(limit: 50, skipping: before))
            let request = Wire.request(round...round)
            play.expect(.sealed(request), .push(request))
            let response = Wire.response(request)
            play.expect(.pushed(.accepted(response)), .settle(response, request))
            play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...round)))
            play.expect(.sealed(nil), .pull)
        }
        let last = Wire.page("c4")
        play.expect(.pulled(.accepted(last)), .apply(last))
        play.expect(.done, .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
    }

    @Test("forms that are missing are fetched one after another")
    func forms() {
        var play = Play.pulling()
        let page = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        let both = [Wire.form("a"), Wire.form("b")]
        play.expect(.formsListed(.accepted(both)), .findMissing(both))
        play.expect(.formsMissing(both), .fetchForm(both[0]))
        play.expect(.formFetched(.accepted(["x": 1])), .storeForm(["x": 1], both[0]))
        play.expect(.done, .fetchForm(both[1]))
        play.expect(.formFetched(.accepted(["y": 2])), .storeForm(["y": 2], both[1]))
        play.expect(.done, .compare(page.digest!))
    }

    @Test("T50 digests that differ, or that were not sent for this position, prove nothing")
    func unproven() {
        var play = Play.pulling()
        var page = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        play.expect(.formsListed(.accepted([])), .findMissing([]))
        play.expect(.formsMissing([]), .compare(page.digest!))
        play.expect(.compared(differing: ["s1"]), .beginRepair(sites: ["s1"]))
        play.expect(.repairBegun(false), .finish(.unproven(sites: ["s1"])))

        play = Play.pulling()
        page = Wire.page("c1", digest: true)
        page.digest?.position = "c0"
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        play.expect(.formsListed(.accepted([])), .findMissing([]))
        play.expect(.formsMissing([]), .finish(.unproven(sites: [])))
    }

    @Test("a held mutation counts as not pushed and is not offered again in this cycle")
    func held() {
        var (play, request) = Play.pushing(2)
        var response = Wire.response(request)
        response.results[1].status = .held
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        #expect(play.machine.pushed == 1)
    }

    @Test("what an answer does not name comes again in the same cycle")
    func unnamed() {
        var (play, request) = Play.pushing(3)
        var response = Wire.response(request)
        response.results.removeLast()
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        #expect(play.machine.pushed == 2)
    }

    @Test("a queued batch waits for its verdicts and is not sent again in this cycle")
    func queued() {
        var (play, _) = Play.pushing(2)
        play.expect(.pushed(.queued), .keepTicket(Wire.request(1...2)))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        play.expect(.sealed(nil), .pull)
        #expect(play.machine.pushed == 0)
    }

    @Test("T01 a store that fails after the answer ends the cycle and blames nothing")
    func storeFailsAfterAnswer() {
        var (play, request) = Play.pushing(1)
        let response = Wire.response(request)
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.storeFailed("busy"), .finish(.storeFailed("busy")))
    }

    @Test("stop in mid-push puts back what is in flight; elsewhere it just ends")
    func stop() {
        var (play, _) = Play.pushing(1)
        play.expect(.stop, .recover)
        play.expect(.done, .finish(.cancelled))
        var other = Play.pulling()
        other.expect(.stop, .finish(.cancelled))
    }

    @Test("T49 an expired cursor begins the pull anew, once")
    func cursorExpired() {
        var play = Play.pulling()
        let expired = Refusal(.cursorExpired, status: 410)
        play.expect(.pulled(.refused(expired)), .restartPull)
        play.expect(.done, .pull)
        play.expect(.pulled(.refused(expired)), .finish(.refused(expired)))
    }

    @Test("a server that hands out the same page for ever is left after the second")
    func circle() {
        var play = Play.pulling()
        let page = Wire.page("c1", hasMore: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .pull)
        play.expect(
            .pulled(.accepted(page)), .finish(.refused(Refusal(.serverFault, status: 200))))
    }

    @Test("a server that goes round in a wider circle is left when a page comes again")
    func widerCircle() {
        var play = Play.pulling()
        for cursor in ["c1", "c2", "c3"] {
            let page = Wire.page(cursor, records: 1, hasMore: true)
            play.expect(.pulled(.accepted(page)), .apply(page))
            play.expect(.done, .pull)
        }
        play.expect(
            .pulled(.accepted(Wire.page("c1", records: 1, hasMore: true))),
            .finish(.refused(Refusal(.serverFault, status: 200))))
    }

    @Test("a server that sends nothing under ever new cursors is left after a hundred pages")
    func emptyPages() {
        var play = Play.pulling()
        for number in 1...100 {
            let page = Wire.page("c\(number)", hasMore: true)
            play.expect(.pulled(.accepted(page)), .apply(page))
            play.expect(.done, .pull)
        }
        play.expect(
            .pulled(.accepted(Wire.page("c101", hasMore: true))),
            .finish(.refused(Refusal(.serverFault, status: 200))))
    }

    @Test("a record now and then is progress, and the last page may be empty")
    func sparsePages() {
        var play = Play.pulling()
        for number in 1...300 {
            let records = number.isMultiple(of: 100) ? 1 : 0
            let page = Wire.page("c\(number)", records: records, hasMore: true)
            play.expect(.pulled(.accepted(page)), .apply(page))
            play.expect(.done, .pull)
        }
        let last = Wire.page("c300")
        play.expect(.pulled(.accepted(last)), .apply(last))
        play.expect(.done, .seal(limit: 50, skipping: []))
    }

    @Test("an endless feed ends a cycle; the next one goes on from its cursor")
    func endlessFeed() {
        var machine = Play.pulling().machine
        var pages = 0
        while pages < 1_000_000 {
            let page = Wire.page("c\(pages)", records: 1, hasMore: true)
            guard case .apply = machine.handle(.pulled(.accepted(page))) else { break }
            _ = machine.handle(.done)
            pages += 1
        }
        #expect(pages == 20_000)
    }

    @Test("T20 JSON that names none of our mutations is nobody's answer")
    func strangerJSON() {
        var (play, _) = Play.pushing(1)
        let stranger = Wire.response(Wire.request(7...8))
        play.expect(.pushed(.accepted(stranger)), .recover)
        play.expect(.done, .finish(.refused(Refusal(.offline, status: 200))))
        #expect(play.machine.pushed == 0)
    }
}
