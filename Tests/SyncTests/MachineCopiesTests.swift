import Coding
import Replication
import Sync
import Testing

@Suite("Sync machine: copies for a restored server")
struct MachineCopiesTests {
    private static func request(_ ids: RecordID...) -> CopyRequest {
        CopyRequest(
            clientNodeId: "node", pullPosition: "c0",
            records: ids.map { id in
                WireRecord(
                    table: "inspection", id: id, parent: nil, version: 1, fields: [:],
                    updatedAtUtc: "")
            })
    }

    private static func response(_ verdicts: [RecordID: CopyVerdict.Status]) -> CopyResponse {
        CopyResponse(
            results: verdicts.map { CopyVerdict(recordId: $0, status: $1) }, server: Wire.server)
    }

    /// Has pulled, and has nothing to push.
    private func pulled() -> Play {
        var play = Play.pulling()
        let page = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        return play
    }

    @Test("T86 what is taken is pulled before the copies are compared")
    func taken() {
        var play = pulled()
        let (request, response) = (Self.request("a"), Self.response(["a": .taken]))
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.accepted(response)), .settleCopies(response, request))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .pull)
        let page = Wire.page("c2", records: 1, digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .listForms)
    }

    @Test(
        "T86 a change that waited for a record that was lost goes behind it in the same cycle, once",
        arguments: [true, false])
    func heldChange(isTaken: Bool) {
        var (play, change) = Play.pushing(1)
        let wait = Wire.response(change, .held)
        play.expect(.pushed(.accepted(wait)), .settle(wait, change))
        play.expect(.done, .seal(limit: 50, skipping: ["m1"]))
        play.expect(.sealed(nil), .pull)
        let page = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: ["m1"]))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        let copy = Self.request("a")
        let answer = Self.response(["a": isTaken ? .taken : .refused])
        play.expect(.copiesFound(copy), .offerCopies(copy))
        play.expect(.copiesOffered(.accepted(answer)), .settleCopies(answer, copy))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .pull)
        let news = Wire.page("c2", records: 1, digest: true)
        play.expect(.pulled(.accepted(news)), .apply(news))
        play.expect(.done, .seal(limit: 50, skipping: ["m1"]))
        guard isTaken else { return play.expect(.sealed(nil), .listForms) }
        play.expect(.sealed(nil), .seal(limit: 50, skipping: []))
        play.expect(.sealed(change), .push(change))
        play.expect(.pushed(.accepted(wait)), .settle(wait, change))
        play.expect(.done, .seal(limit: 50, skipping: ["m1"]))
        play.expect(.sealed(nil), .pull)
    }

    @Test("T86 what is held is offered again only when something else was taken")
    func held() {
        var play = pulled()
        let first = Self.request("a", "b")
        let mixed = Self.response(["a": .taken, "b": .held])
        play.expect(.copiesFound(first), .offerCopies(first))
        play.expect(.copiesOffered(.accepted(mixed)), .settleCopies(mixed, first))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        let second = Self.request("b")
        let again = Self.response(["b": .held])
        play.expect(.copiesFound(second), .offerCopies(second))
        play.expect(.copiesOffered(.accepted(again)), .settleCopies(again, second))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["b"]))
        play.expect(.copiesFound(nil), .pull)
    }

    @Test("T86 what an answer does not name was not judged, and is offered next")
    func unnamed() {
        var play = pulled()
        let first = Self.request("a", "b", "c")
        let part = Self.response(["a": .refused, "c": .held])
        play.expect(.copiesFound(first), .offerCopies(first))
        play.expect(.copiesOffered(.accepted(part)), .settleCopies(part, first))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["c"]))
        let second = Self.request("b")
        let rest = Self.response(["b": .refused])
        play.expect(.copiesFound(second), .offerCopies(second))
        play.expect(.copiesOffered(.accepted(rest)), .settleCopies(rest, second))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["c"]))
        play.expect(.copiesFound(nil), .pull)
    }

    @Test(
        "T86 what was refused may be taken in part: it is pulled too before the copies are compared"
    )
    func takenInPart() {
        var play = pulled()
        let (request, response) = (Self.request("a"), Self.response(["a": .refused]))
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.accepted(response)), .settleCopies(response, request))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .pull)
    }

    @Test(
        "a server, or a proxy before it, that takes no copies keeps nothing else from its place",
        arguments: [
            Refusal(.serverFault, status: 404), Refusal(.serverFault, status: 400),
            Refusal(.oversized, status: 413),
        ])
    func older(refusal: Refusal) {
        var play = pulled()
        let request = Self.request("a")
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.refused(refusal)), .listForms)
    }

    private static let refusals = [
        Refusal(.unacceptable, status: 400, code: "bad_request", message: "No."),
        Refusal(.oversized, status: 413, code: "too_large", message: "No."),
    ]

    private static func setAside(_ id: RecordID, _ refusal: Refusal) -> CopyVerdict {
        CopyVerdict(
            recordId: id, status: .refused,
            error: WireError(
                code: refusal.code, message: "refused with \(refusal.status): No."))
    }

    @Test(
        "a request that is refused is halved; one copy alone is set aside, and the others are taken",
        arguments: refusals)
    func halved(refusal: Refusal) {
        var play = pulled()
        let all = Self.request("a", "b", "c", "d")
        play.expect(.copiesFound(all), .offerCopies(all))
        play.expect(.copiesOffered(.refused(refusal)), .findCopies(limit: 2, skipping: []))
        let first = Self.request("a", "b")
        let taken = Self.response(["a": .taken, "b": .taken])
        play.expect(.copiesFound(first), .offerCopies(first))
        play.expect(.copiesOffered(.accepted(taken)), .settleCopies(taken, first))
        play.expect(.copiesSettled(epochBegan: false), .findCopies(limit: 1, skipping: []))
        let culprit = Self.request("c")
        play.expect(.copiesFound(culprit), .offerCopies(culprit))
        play.expect(
            .copiesOffered(.refused(refusal)),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["c"]))
        let last = Self.request("d")
        let lastTaken = Self.response(["d": .taken])
        play.expect(.copiesFound(last), .offerCopies(last))
        play.expect(.copiesOffered(.accepted(lastTaken)), .settleCopies(lastTaken, last))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["c"]))
        play.expect(
            .copiesFound(nil), .setAsideCopies([Self.setAside("c", refusal)], counting: []))
        play.expect(.done, .pull)
    }

    @Test(
        "a server that refuses every copy sets none aside: they are counted, and others go first",
        arguments: refusals)
    func refusesEverything(refusal: Refusal) {
        var play = pulled()
        let ids: [RecordID] = ["a", "b", "c"]
        for (index, id) in ids.enumerated() {
            let request = Self.request(id)
            play.expect(.copiesFound(request), .offerCopies(request))
            guard index < ids.count - 1 else { break }
            play.expect(
                .copiesOffered(.refused(refusal)),
                .findCopies(
                    limit: CopyRequest.mostRecords, skipping: Set(ids.prefix(index + 1))))
        }
        play.expect(
            .copiesOffered(.refused(refusal)),
            .setAsideCopies([], counting: ids.map { Self.setAside($0, refusal) }))
        play.expect(.done, .listForms)
    }

    @Test("a copy that the server breaks over is counted, and comes behind the others")
    func broken() {
        var play = pulled()
        let all = Self.request("a", "b")
        play.expect(.copiesFound(all), .offerCopies(all))
        let refusal = Refusal(.broken, status: 500, code: "internal")
        play.expect(.copiesOffered(.refused(refusal)), .findCopies(limit: 1, skipping: []))
        let alone = Self.request("a")
        play.expect(.copiesFound(alone), .offerCopies(alone))
        play.expect(
            .copiesOffered(.refused(refusal)),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["a"]))
        let other = Self.request("b")
        let taken = Self.response(["b": .taken])
        play.expect(.copiesFound(other), .offerCopies(other))
        play.expect(.copiesOffered(.accepted(taken)), .settleCopies(taken, other))
        play.expect(
            .copiesSettled(epochBegan: false),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["a"]))
        let failure = CopyVerdict(
            recordId: "a", status: .refused,
            error: WireError(code: "internal", message: "the server failed over it"))
        play.expect(.copiesFound(nil), .setAsideCopies([], counting: [failure]))
        play.expect(.done, .pull)
    }

    @Test("a large copy that only a proxy refuses comes behind the others, and is never set aside")
    func proxy() {
        var play = pulled()
        var request = Self.request("a")
        request.records[0].fields["notes"] = WireRecord.Field(
            value: .string(String(repeating: "x", count: 65 << 10)),
            stamp: Stamp(lamport: 1, node: "other"), version: 1)
        let refusal = Refusal(.oversized, status: 413)
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(
            .copiesOffered(.refused(refusal)),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["a"]))
        let held = CopyVerdict(
            recordId: "a", status: .held, columns: ["notes"],
            error: WireError(code: "", message: "refused with 413"))
        play.expect(.copiesFound(nil), .setAsideCopies([], counting: [held]))
        play.expect(.done, .listForms)
    }

    @Test("an answer that tells of a new epoch ends the offering: the pull says what is lacking")
    func newEpoch() {
        var play = pulled()
        let bad = Self.request("a")
        play.expect(.copiesFound(bad), .offerCopies(bad))
        play.expect(
            .copiesOffered(.refused(Self.refusals[0])),
            .findCopies(limit: CopyRequest.mostRecords, skipping: ["a"]))
        let (request, response) = (Self.request("b"), Self.response(["b": .refused]))
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.accepted(response)), .settleCopies(response, request))
        play.expect(.copiesSettled(epochBegan: true), .pull)
        // The cursor of before may come again, in an epoch of its own.
        let page = Wire.page("c1", records: 1, hasMore: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .pull)
        let last = Wire.page("c2", digest: true)
        play.expect(.pulled(.accepted(last)), .apply(last))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .listForms)
    }

    @Test("a server that takes the same copy again and again does not keep a cycle from its end")
    func bound() {
        var machine = pulled().machine
        let (request, response) = (Self.request("a"), Self.response(["a": .taken]))
        var requests = 0
        while machine.handle(.copiesFound(request)) == .offerCopies(request), requests < 5000 {
            requests += 1
            _ = machine.handle(.copiesOffered(.accepted(response)))
            guard machine.handle(.copiesSettled(epochBegan: false)) != .pull else { break }
        }
        #expect(requests == 1000)
    }

    @Test("an answer that names nothing of what was offered ends the offering")
    func stranger() {
        var play = pulled()
        let (request, response) = (Self.request("a"), Self.response(["z": .taken]))
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.accepted(response)), .listForms)
    }

    @Test("a network that goes away ends the cycle; the copies stay where they are")
    func offline() {
        var play = pulled()
        let request = Self.request("a")
        let refusal = Refusal(.offline, fault: .timedOut)
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.refused(refusal)), .finish(.refused(refusal)))
    }
}
