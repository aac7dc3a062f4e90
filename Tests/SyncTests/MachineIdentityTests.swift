import Replication
import Sync
import Testing

/// Copies of this device, copies that differ, and verdicts that come later.
@Suite("Sync machine: who and what is the same")
struct MachineIdentityTests {
    private let forked = Refusal(.forked, status: 409, code: "forked")

    @Test("T85 a server that knows a copy of this device is answered as another node, at once")
    func takesNewNode() {
        var (play, request) = Play.pushing(2)
        play.expect(.pushed(.refused(forked)), .takeNewNode)
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(request), .push(request))
        let response = Wire.response(request)
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        #expect(play.machine.hasNewNode)
    }

    @Test("T85 a server that finds a copy in each node gets one new node a cycle")
    func oneNodeACycle() {
        var (play, request) = Play.pushing(2)
        play.expect(.pushed(.refused(forked)), .takeNewNode)
        play.expect(.done, .seal(limit: 50, skipping: []))
        play.expect(.sealed(request), .push(request))
        play.expect(.pushed(.refused(forked)), .recover)
        play.expect(.done, .finish(.refused(forked)))
    }

    @Test("T85 other contents under our id tell of a copy too; what was answered is settled then")
    func otherContents() {
        var (play, request) = Play.pushing(2)
        var response = Wire.response(request)
        response.results[1].status = .rejected
        response.results[1].error = .contentMismatch
        play.expect(.pushed(.accepted(response)), .takeNewNode)
        play.expect(.done, .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...2)))
        play.expect(.sealed(request), .push(request))
        play.expect(.pushed(.accepted(response)), .settle(response, request))
    }

    @Test("stopped while it parts from its copy, a device puts back what is in flight")
    func stoppedWhileParting() {
        var (play, _) = Play.pushing(2)
        play.expect(.pushed(.refused(forked)), .takeNewNode)
        play.expect(.stop, .recover)
        play.expect(.done, .finish(.cancelled))
    }

    /// Up to where the digests are compared.
    private func comparing(_ play: inout Play, _ cursor: String, isFirst: Bool = true) {
        let page = Wire.page(cursor, digest: true)
        play.expect(.pulled(.accepted(page)), .apply(page))
        play.expect(.done, .seal(limit: 50, skipping: []))
        if isFirst {
            play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
            play.expect(.copiesFound(nil), .listForms)
        } else {
            play.expect(.sealed(nil), .listForms)
        }
        play.expect(.formsListed(.accepted([])), .findMissing([]))
        play.expect(.formsMissing([]), .compare(page.digest!))
    }

    @Test("T49 digests that differ begin one pull from the beginning, which may mend it")
    func repair() {
        var play = Play.pulling()
        comparing(&play, "c1")
        play.expect(.compared(differing: ["s1"]), .beginRepair(sites: ["s1"]))
        play.expect(.repairBegun(true), .pull)
        // The same cursor again is no circle here.
        comparing(&play, "c1", isFirst: false)
        play.expect(.compared(differing: []), .finish(.synced))
    }

    @Test("T49 what one repair has not mended is left for a later cycle, and named")
    func repairFails() {
        var play = Play.pulling()
        comparing(&play, "c1")
        play.expect(.compared(differing: ["s1", "s2"]), .beginRepair(sites: ["s1", "s2"]))
        play.expect(.repairBegun(true), .pull)
        comparing(&play, "c1", isFirst: false)
        play.expect(.compared(differing: ["s2"]), .finish(.unproven(sites: ["s2"])))
    }

    @Test("a cursor that expires during a repair begins the pull anew all the same")
    func expiredInRepair() {
        var play = Play.pulling()
        comparing(&play, "c1")
        play.expect(.compared(differing: ["s1"]), .beginRepair(sites: ["s1"]))
        play.expect(.repairBegun(true), .pull)
        let expired = Refusal(.cursorExpired, status: 410)
        play.expect(.pulled(.refused(expired)), .restartPull)
        play.expect(.done, .pull)
    }

    @Test("digests are compared only after the last page that follows the last acknowledgement")
    func comparedAfterAcknowledgement() {
        var play = Play.pulling()
        let first = Wire.page("c1", digest: true)
        play.expect(.pulled(.accepted(first)), .apply(first))
        play.expect(.done, .seal(limit: 50, skipping: []))
        let request = Wire.request(1...1)
        play.expect(.sealed(request), .push(request))
        let response = Wire.response(request)
        play.expect(.pushed(.accepted(response)), .settle(response, request))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...1)))
        play.expect(.sealed(nil), .pull)
        let second = Wire.page("c2", digest: true)
        play.expect(.pulled(.accepted(second)), .apply(second))
        play.expect(.done, .seal(limit: 50, skipping: Wire.ids(1...1)))
        play.expect(.sealed(nil), .findCopies(limit: CopyRequest.mostRecords, skipping: []))
        play.expect(.copiesFound(nil), .listForms)
        play.expect(.formsListed(.accepted([])), .findMissing([]))
        play.expect(.formsMissing([]), .compare(second.digest!))
    }
}
