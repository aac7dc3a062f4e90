import Coding
import Inspections
import Replication
import ServerStore
import Testing

/// Two handhelds with one past: a cloned disk, or yesterday's backup on the same one.
@Suite("Conformance: a device that was copied")
struct ForkTests {
    private let mine = NodeID("node-copy")

    /// A device that has worked, a copy of it, and the inspection that both know.
    private func copied(_ backend: Backend) throws -> (Yard, RecordID, Handheld, Handheld) {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        try first.push(first.change(id, ["notes": .string("shared")]))
        return (yard, id, first, first.copy())
    }

    @Test(
        "T85 the second of two copies is noticed before anything of it is merged",
        arguments: Backend.allCases)
    func noticed(backend: Backend) throws {
        let (yard, id, first, second) = try copied(backend)
        try first.push(first.change(id, ["high": .integer(1)]))
        let before = try yard.everything()[id]
        // The same mutation id and place in the sequence, another reading.
        let clash = second.change(id, ["low": .integer(9)])
        #expect(refusal { try second.push(clash) } == .forked)
        #expect(try yard.everything()[id] == before)
    }

    @Test(
        "T85 under a new node the copy goes on, and both keep what they entered",
        arguments: Backend.allCases)
    func separated(backend: Backend) throws {
        let (yard, id, first, second) = try copied(backend)
        let theirs = first.change(id, ["high": .integer(1)])
        let ours = second.change(id, ["low": .integer(9)], id: "of the copy")
        #expect(theirs.sequence == ours.sequence)
        try first.push(theirs)
        #expect(refusal { try second.push(ours) } == .forked)
        second.takeNewNode(mine)
        #expect(try second.push(ours).map(\.status) == [.applied])
        #expect(
            try first.push(first.change(id, ["place": .string("x")])).map(\.status) == [.applied])
        let record = try #require(try yard.everything()[id])
        #expect(record.fields["high"]?.stamp.node == first.node)
        #expect(record.fields["low"]?.stamp.node == mine)
        #expect(try yard.store.devices().filter { $0.name == "a" }.count == 1, "one device")
    }

    @Test(
        "T85 what both had entered before the copying has one effect and one answer",
        arguments: Backend.allCases)
    func shared(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        let waiting = first.change(id, ["notes": .string("made before")])
        let second = first.copy()
        #expect(try first.push(waiting).map(\.status) == [.applied])
        try first.push(first.change(id, ["high": .integer(1)]))
        #expect(refusal { try second.push(waiting) } == .forked)
        second.takeNewNode(mine)
        let answer = try second.push(waiting)[0]
        #expect(answer.status == .applied && answer.version == 3)
        #expect(answer.record?.fields["notes"]?.stamp.node == first.node)
        #expect(try yard.everything()[id]?.version == 3)
    }

    @Test(
        "T85 two copies that both repeat the batch they share are told apart",
        arguments: Backend.allCases)
    func repeated(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let first = try yard.enrol("a")
        try first.pull()
        let waiting = first.change(id, ["notes": .string("made before")])
        let second = first.copy()
        let theirs = first.change(id, ["high": .integer(1)], id: "of the first")
        let ours = second.change(id, ["low": .integer(9)], id: "of the copy")
        try first.push(waiting, theirs)
        #expect(refusal { try second.push(waiting, ours) } == .forked)
        second.takeNewNode(mine)
        #expect(try second.push(waiting, ours).map(\.status) == [.applied, .applied])
        #expect(try yard.everything()[id]?.fields["low"]?.value == .integer(9))
    }

    @Test(
        "T85 a device that was set back to an older state is noticed", arguments: Backend.allCases)
    func setBack(backend: Backend) throws {
        let (yard, id, first, yesterday) = try copied(backend)
        for number in 1...3 { try first.push(first.change(id, ["high": .integer(Int64(number))])) }
        let entered = yesterday.change(id, ["low": .integer(4)], id: "after the restore")
        #expect(refusal { try yesterday.push(entered) } == .forked)
        yesterday.takeNewNode(mine)
        #expect(try yesterday.push(entered).map(\.status) == [.applied])
        #expect(try yard.everything()[id]?.fields["low"]?.value == .integer(4))
    }

    @Test(
        "a lost answer is no fork, however the batch is composed anew", arguments: Backend.allCases)
    func lostAnswers(backend: Backend) throws {
        let (yard, id, first, _) = try copied(backend)
        let batch = (0..<6).map { first.change(id, ["high": .integer(Int64($0))]) }
        func lose(_ mutations: ArraySlice<Mutation>) throws {
            _ = try yard.store.push(first.request(Array(mutations)), from: first.device)
        }
        try lose(batch[...])
        try lose(batch[..<2])
        // Halved: nothing of it was in the batch that was answered last.
        try lose(batch[3...])
        let verdicts = try first.push(batch + [first.change(id, ["low": .integer(1)])])
        #expect(verdicts.allSatisfy { $0.status == .applied || $0.status == .merged })
        #expect(try first.push(first.change(id, ["low": .integer(2)])).map(\.status) == [.applied])
    }

    @Test(
        "what was taken and set aside, because its answer was a 502, makes no fork of what goes next",
        arguments: Backend.allCases, [false, true])
    func setAside(backend: Backend, isNamed: Bool) throws {
        let (yard, id, first, _) = try copied(backend)
        let lost = first.change(id, ["high": .integer(1)])
        _ = try yard.store.push(first.request([lost]), from: first.device)
        var next = first.request([first.change(id, ["low": .integer(2)])])
        if isNamed { next.unheard = [lost.id] }
        next = try PushRequest(json: .parse(next.document))
        guard isNamed else {
            #expect(refusal { _ = try yard.store.push(next, from: first.device) } == .forked)
            return
        }
        let answer = try yard.store.push(next, from: first.device)
        #expect(answer.results.map(\.status) == [.applied])
        first.baton = answer.baton
        #expect(try first.push(lost).map(\.status) == [.applied])
        // A copy from before it knows nothing of it.
        var stranger = first.copy().request([first.change(id, ["low": .integer(3)])])
        stranger.baton = "unknown"
        stranger.unheard = [lost.id]
        #expect(refusal { _ = try yard.store.push(stranger, from: first.device) } == .forked)
    }

    @Test(
        "whichever answer to a repeated push is heard in the end, the device goes on",
        arguments: Backend.allCases, [0, 1, 2])
    func lateAnswer(backend: Backend, heard: Int) throws {
        let (yard, id, first, _) = try copied(backend)
        let edit = first.change(id, ["high": .integer(1)])
        let whole = first.request([edit, first.change(id, ["place": .string("x")])])
        let half = first.request([edit])
        let answers = try [half, whole, half].map {
            try yard.store.push($0, from: first.device).baton
        }
        first.baton = answers[heard]
        #expect(try first.push(first.change(id, ["low": .integer(2)])).map(\.status) == [.applied])
    }

    @Test(
        "a late copy of a push, delivered once more by the network, makes no fork of its device",
        arguments: Backend.allCases, [false, true])
    func lateCopy(backend: Backend, wasRepeated: Bool) throws {
        let (yard, id, first, _) = try copied(backend)
        // Not all of it was taken: what waits is judged afresh with each copy.
        let early = first.mutation(
            "f1", table: RecordTable.finding, parent: "new", .insert, ["text": .string("leak")])
        let request = first.request([first.change(id, ["high": .integer(1)]), early])
        if wasRepeated { _ = try yard.store.push(request, from: first.device) }
        let answer = try yard.store.push(request, from: first.device)
        #expect(answer.results.map(\.status) == [.applied, .held])
        first.baton = answer.baton
        _ = try yard.store.push(request, from: first.device)
        #expect(try first.push(first.change(id, ["low": .integer(2)])).map(\.status) == [.applied])
        #expect(refusal { _ = try yard.store.push(request, from: first.device) } == .forked)
        #expect(try first.push(first.change(id, ["low": .integer(1)])).map(\.status) == [.applied])
    }

    @Test(
        "a decision reaches a device that has taken a new node since", arguments: Backend.allCases)
    func decision(backend: Backend) throws {
        let (yard, id, first, _) = try copied(backend)
        let other = try yard.enrol("b")
        try other.pull()
        try other.push(other.change(id, ["pressure": .integer(150)]))
        let waiting = first.change(id, ["pressure": .integer(160)])
        #expect(try first.push(waiting).map(\.status) == [.quarantined])
        let second = first.copy()
        try first.pull()
        second.takeNewNode(mine)
        try second.push(second.change(id, ["low": .integer(1)], id: "of the copy"))
        let item = try #require(try yard.store.openReviews().first)
        try yard.store.resolve(review: item.id, .mine, comment: nil, by: Supervisor(name: "kim"))
        try first.pull()
        try second.pull()
        #expect(first.results.map(\.mutationId) == [waiting.id])
        #expect(second.results.map(\.mutationId) == [waiting.id], "it was sent as another node")
    }

    @Test("a node is one device's alone, and never the office's", arguments: Backend.allCases)
    func foreignNode(backend: Backend) throws {
        let (yard, id, _, second) = try copied(backend)
        let other = try yard.enrol("b")
        for node in [other.node, "portal:kim"] {
            second.takeNewNode(node)
            let forged = second.change(id, ["low": .integer(1)], id: "forged")
            #expect(refusal { try second.push(forged) } == .wrongNode)
            #expect(refusal { try second.pullPage() } == .wrongNode)
        }
        second.takeNewNode(mine)
        try second.push(second.change(id, ["low": .integer(1)], id: "of the copy"))
        other.takeNewNode(mine)
        #expect(refusal { try other.push(other.change(id, ["low": .integer(2)])) } == .wrongNode)
        #expect(refusal { _ = try yard.enrol("copy") } == .nodeTaken, "it was node-copy")
    }
}
