internal import Arguments
internal import Coding
internal import LocalStore
internal import Replication
internal import Sync

/// A day with two devices and a server, played without a screen. Each step says what it did, and
/// throws where something does not hold.
struct Tour {
    /// What the day happens in. The transports can be wrapped, so that a test can show that the
    /// checks notice a server that loses something.
    struct World {
        var server: DemoServer
        var relay: Relay
        var device: DemoDevice
        var colleague: DemoDevice
        var wrap: @Sendable (any Transport) -> any Transport = { $0 }
        var now: @Sendable () -> Int64
        var say: (String) throws -> Void
    }

    /// A check that did not hold.
    struct Mismatch: Error {
        let step: String
        let what: String
    }

    let world: World
    private(set) var step = ""
    private var number = 0

    init(in world: World) {
        self.world = world
    }

    mutating func play() throws {
        try begin("Both devices fetch what the server assigned")
        try assigned()
        try begin("Offline, two inspectors answer different questions of one inspection")
        try differentFields()
        try begin("Both answer the same question, and its policy is to ask")
        try sameField()
        try begin("Both answer one whose worse value wins")
        try ranked()
        try begin("An answer is lost after the server has committed")
        try lostAnswer()
        try begin("The process that synchronises is killed in the middle")
        try killed()
        try begin("A write that the database refuses is taken back, and no other")
        try refusedWrite()
        try begin("At the end everybody holds the same")
        try equalDigests()
    }

    private mutating func begin(_ title: String) throws {
        number += 1
        step = title
        try world.say("\n\(number). \(title)\n")
    }

    func tell(_ line: String) throws {
        try world.say("   \(line)\n")
    }

    func check(_ holds: Bool, _ what: @autoclosure () -> String) throws {
        guard holds else { throw Mismatch(step: step, what: what()) }
    }

    func equal<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) throws {
        try check(actual == expected, "\(what): \(actual), expected \(expected)")
    }

    // MARK: What the steps are told with

    /// One cycle of a device over the tour's transport.
    @discardableResult
    func sync(
        _ device: DemoDevice, through wrap: (any Transport) -> any Transport = { $0 }
    ) throws -> CycleReport {
        let store = try device.opened()
        let transport = wrap(world.wrap(try store.transport()))
        return Cycle.runOnDemand(replica: store, transport: transport, now: world.now)
    }

    func syncAll() throws {
        for device in [world.device, world.colleague, world.device] {
            let report = try sync(device)
            try check(
                report.outcome == .synced, "a cycle ended as \(report.outcome.label), not synced")
        }
    }

    func set(_ values: [(FieldName, FieldValue)], _ id: RecordID, on device: DemoDevice) throws {
        try device.opened().set(values, on: id)
    }

    func value(_ field: FieldName, of id: RecordID, on device: DemoDevice) throws -> FieldValue {
        try device.opened().values(of: id)[field] ?? .null
    }

    /// The same value on both devices and, by its export, on the server.
    func everywhere(_ field: FieldName, of id: RecordID, is expected: FieldValue) throws {
        try equal(try value(field, of: id, on: world.device), expected, "\(field) on the device")
        try equal(
            try value(field, of: id, on: world.colleague), expected, "\(field) at the colleague's")
        try equal(try exported(id)?.answers[field], expected, "\(field) on the server")
    }

    struct Exported {
        var version: Int64
        var answers: [FieldName: FieldValue]
    }

    /// An inspection as the server's administrator sees it.
    func exported(_ id: RecordID) throws -> Exported? {
        let text = try world.server.administer(["export", "--format", "json"])
        let document = try JSON.parse(Array(text.utf8))
        let found = try document.asArray().first { try $0.string("id") == id.rawValue }
        return try found.map { inspection in
            Exported(
                version: try inspection.integer("version"),
                answers: try inspection.dictionary("fields", of: FieldValue.init(json:)))
        }
    }

    /// Nothing waits and nothing needs a person.
    func nothingPending(_ device: DemoDevice) throws {
        let counts = try device.opened().outboxCounts()
        try check(counts.isEmpty, "the queue still holds \(counts)")
    }
}
