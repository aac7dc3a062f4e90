internal import Coding
internal import Crypto
internal import Dispatch
internal import Forms
internal import LocalStore
internal import Replication
internal import Sync

/// Somebody else with a handheld: now and then answers a question of one of the shared inspections,
/// sometimes the very one that is on the screen.
///
/// `@unchecked Sendable`: everything is touched on `queue` only, but for `worker`, which is Sendable.
final class Colleague: @unchecked Sendable {
    private let device: DemoDevice
    private let store: DeviceStore
    private let worker: SyncWorker
    private let queue = DispatchQueue(label: "walkdown.demo.colleague", qos: .background)
    private var isGone = false
    private var turns = 0

    init(_ device: DemoDevice, now: @escaping @Sendable () -> Int64) throws {
        self.device = device
        let store = try device.opened()
        self.store = store
        let first = try store.transport()
        worker = SyncWorker(
            replica: store,
            // The membership was readable a moment ago; a transport that cannot be made anew is a
            // connection that does not come about.
            connect: { (try? store.transport()) ?? first }, now: now,
            random: Self.below, report: { _ in })
        worker.wake(.started)
        queue.async { [self] in rest() }
    }

    /// Stops, and gives the home back.
    func leave() throws {
        queue.sync { isGone = true }
        worker.stop()
        try device.lock()
    }

    private static let below: @Sendable (Int64) -> Int64 = { bound in
        Int64.random(in: 0..<bound)
    }

    /// From eight seconds, so that something is seen soon, to half a minute.
    private func rest() {
        let seconds = turns == 0 ? 8 : 15 + Int(Self.below(15))
        queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
            guard !isGone else { return }
            work()
            rest()
        }
    }

    private func work() {
        // A colleague who cannot write just now tries something else next time: it is a demo.
        guard let inspections = try? store.inspections(), !inspections.isEmpty else { return }
        let workable = inspections.filter { ["assigned", "inProgress"].contains($0.state) }
        // The first ones on the screen are where a newcomer starts, so that the two of them meet.
        let near = workable.sorted { ($0.site ?? "", $0.name) < ($1.site ?? "", $1.name) }.prefix(3)
        guard let inspection = near.dropFirst(turns % max(1, near.count)).first else { return }
        turns += 1
        let (question, value) = Self.answers[turns % Self.answers.count]
        _ = try? store.change(inspection.id, by: [.answer(AnswerKey(question), value)])
        worker.wake(.edited)
    }

    private static let answers: [(FieldName, FieldValue)] = [
        ("facility", .string("Hall 2, north wall")),
        ("refrigerant_type", .string("R404A")),
        ("door_seals", .string("fail")),
        ("compressor_health", .string("WARNING")),
        ("notes", .string("Spoke to the shift lead, panel is loose.")),
        ("door_seals", .string("pass")),
        ("compressor_health", .string("CRITICAL")),
    ]
}
