import Coding
import Sync

/// Between the devices and the server: takes its time, loses, repeats, delays, cuts, and speaks for
/// the server.
final class Network {
    private unowned let world: World
    private var dice: Dice
    /// A device gives a call up after this.
    private static let patience: Int64 = 30_000

    init(_ world: World, seed: UInt64) {
        self.world = world
        dice = Dice(seed: seed)
    }

    /// One call of a device: whatever happens, it has an outcome in the end.
    func carry(_ call: WireCall, from device: Handheld, number: Int) {
        let timeline = world.timeline
        timeline.after(Self.patience) { device.answer(number, .fault(.timedOut)) }
        beginTrouble(device)
        guard timeline.now >= device.conditions.silentUntil, !strikes(.requestLost) else {
            world.tell("\(device.node) is not heard")
            let isRefused = dice.oneIn(2)
            return timeline.after(latency()) {
                if isRefused { device.answer(number, .fault(.unreachable)) }
            }
        }
        if strikes(.duplicate) {
            let pause = dice.oneIn(2) ? Int64(dice.below(500)) : Int64(dice.below(300_000))
            timeline.after(pause) { [self] in
                world.tell("a request of \(device.node) arrives once more")
                device.noteDoubt(call)
                _ = try reach(call, device)
            }
        }
        let isLate = strikes(.delay)
        let pause = isLate ? Self.patience + Int64(dice.below(90_000)) : latency()
        timeline.after(pause) { [self] in
            try arrive(call, from: device, number: number)
        }
    }

    private func strikes(_ fault: Fault) -> Bool { world.faults.strikes(fault, &dice) }

    private func latency() -> Int64 { Int64(dice.within(3...250)) }

    /// Troubles that last.
    private func beginTrouble(_ device: Handheld) {
        func until() -> Int64 { world.timeline.now + Int64(dice.within(2_000...120_000)) }
        if strikes(.partition) { device.conditions.silentUntil = until() }
        if strikes(.deafness) { device.conditions.deafUntil = until() }
        if strikes(.tokenExpiry) { device.conditions.strangerUntil = until() }
    }

    private func arrive(_ call: WireCall, from device: Handheld, number: Int) throws {
        if number != device.call { device.noteDoubt(call) }
        let answer: WireAnswer?
        if let stranger = substitute(for: device) {
            answer = stranger
        } else {
            answer = try reach(call, device)
        }
        guard let answer else {
            return device.answer(number, .fault(.unreachable))
        }
        deliver(answer, to: device, number: number)
    }

    /// The request as it travels, to the server.
    private func reach(_ call: WireCall, _ device: Handheld) throws -> WireAnswer? {
        var call = call
        if let body = call.body, body.count > 512, dice.oneIn(4) {
            call.body = try Gzip.inflate(Gzip.compress(body), limit: 4 << 20)
        }
        return try world.reachServer(call, by: device.index)
    }

    /// Answers that the server did not give, or gave without doing anything.
    private func substitute(for device: Handheld) -> WireAnswer? {
        if world.timeline.now < device.conditions.strangerUntil {
            return .failure(401, "unauthorized")
        }
        if strikes(.captivePortal) { return .page(200) }
        if strikes(.refusal4xx) {
            let status = dice.pick([400, 403, 404, 405, 408, 409, 413, 415, 422, 425, 429])
            let patience: Int64? = status == 429 ? Int64(dice.below(40)) : nil
            return .page(status, retryAfter: patience)
        }
        if strikes(.failure5xx) {
            let status = dice.pick([500, 502, 503, 504])
            return dice.oneIn(2)
                ? .page(status) : .failure(status, "unavailable", retryAfter: Int64(dice.below(20)))
        }
        return nil
    }

    private func deliver(_ answer: WireAnswer, to device: Handheld, number: Int) {
        let timeline = world.timeline
        guard timeline.now >= device.conditions.deafUntil, !strikes(.answerLost) else {
            world.tell("an answer to \(device.node) is lost")
            let isCut = dice.oneIn(2)
            return timeline.after(latency()) {
                if isCut { device.answer(number, .fault(.interrupted)) }
            }
        }
        let outcome = travelled(answer)
        timeline.after(latency()) { device.answer(number, outcome) }
    }

    private func travelled(_ answer: WireAnswer) -> TransportOutcome {
        if strikes(.committed5xx) {
            return .answer(.page(dice.pick([500, 502, 503, 504])))
        }
        let isCut = strikes(.truncatedGzip)
        guard isCut || (answer.body.count > 512 && dice.oneIn(4)) else { return .answer(answer) }
        do {
            var packed = try Gzip.compress(answer.body)
            if isCut { packed.removeLast(1 + dice.below(packed.count)) }
            var unpacked = answer
            unpacked.body = try Gzip.inflate(packed, limit: 8 << 20)
            return .answer(unpacked)
        } catch {
            return .fault(.malformed)
        }
    }
}
