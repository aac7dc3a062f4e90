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
        play.expect(.sealed(nil), .findCopies(skipping: []))
        return play
    }

    @Test("T86 what is taken is pulled before the copies are compared")
    func taken() {
        var play = pulled()
        let (request, response) = (Self.request("a"), Self.response(["a": .taken]))
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.accepted(response)), .settleCopies(response, request))
        play.expect(.done, .findCopies(skipping: []))
        play.expect(.copiesFound(nil), .pull)
        let page = Wire.page("c2", records: 1, digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(nil), .listForms)
    }

    @Test("T86 what is held is offered again only when something else was taken")
    func held() {
        var play = pulled()
        let first = Self.request("a", "b")
        let mixed = Self.response(["a": .taken, "b": .held])
        play.expect(.copiesFound(first), .offerCopies(first))
        play.expect(.copiesOffered(.accepted(mixed)), .settleCopies(mixed, first))
        play.expect(.done, .findCopies(skipping: []))
        let second = Self.request("b")
        let again = Self.response(["b": .held])
        play.expect(.copiesFound(second), .offerCopies(second))
        play.expect(.copiesOffered(.accepted(again)), .settleCopies(again, second))
        play.expect(.done, .findCopies(skipping: ["b"]))
        play.expect(.copiesFound(nil), .pull)
    }

    @Test("T86 what an answer does not name was not judged, and is offered next")
    func unnamed() {
        var play = pulled()
        let first = Self.request("a", "b", "c")
        let part = Self.response(["a": .refused, "c": .held])
        play.expect(.copiesFound(first), .offerCopies(first))
        play.expect(.copiesOffered(.accepted(part)), .settleCopies(part, first))
        play.expect(.done, .findCopies(skipping: ["c"]))
        let second = Self.request("b")
        let rest = Self.response(["b": .refused])
        play.expect(.copiesFound(second), .offerCopies(second))
        play.expect(.copiesOffered(.accepted(rest)), .settleCopies(rest, second))
        play.expect(.done, .findCopies(skipping: ["c"]))
        play.expect(.copiesFound(nil), .listForms)
    }

    @Test(
        "a server that does not take copies keeps nothing else from its place",
        arguments: [
            Refusal(.serverFault, status: 404), Refusal(.unacceptable, status: 400),
            Refusal(.oversized, status: 413),
        ])
    func older(refusal: Refusal) {
        var play = pulled()
        let request = Self.request("a")
        play.expect(.copiesFound(request), .offerCopies(request))
        play.expect(.copiesOffered(.refused(refusal)), .listForms)
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
