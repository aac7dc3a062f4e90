import Sync
import TestSupport
import Testing

@Suite("Schedule")
struct ScheduleTests {
    private let longest: (Int64) -> Int64 = { $0 - 1 }
    private let shortest: (Int64) -> Int64 = { _ in 0 }
    private let offline = CycleOutcome.refused(Refusal(.offline, fault: .unreachable))

    @Test("nothing asked for, nothing due")
    func quiet() {
        #expect(Schedule().delay(now: 0) == nil)
    }

    @Test(
        "a start is due now, an edit after its debounce, a network after five to fifteen seconds",
        arguments: [
            (Schedule.Wake.started, Int64(0), Int64(0)), (.edited, 1000, 1000),
            (.reconnected, 5000, 15_000), (.demanded, 0, 0),
        ])
    func wakes(reason: Schedule.Wake, soonest: Int64, latest: Int64) {
        for (chance, expected) in [({ (_: Int64) in Int64(0) }, soonest), (longest, latest)] {
            var schedule = Schedule()
            schedule.wake(reason, now: 100, random: chance)
            #expect(schedule.delay(now: 100) == expected)
        }
    }

    @Test(
        "1,000 devices that get the network back at once do not come at once",
        arguments: UInt64(1)...5)
    func herd(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let devices: Int64 = 1000
        var buckets: [Int64: Int64] = [:]
        for _ in 0..<devices {
            var schedule = Schedule()
            schedule.wake(.reconnected, now: 0) { Int64(random.below(Int($0))) }
            buckets[(schedule.delay(now: 0) ?? -1) / 1000, default: 0] += 1
        }
        let seconds = schedule.timing.reconnectSpread / 1000
        #expect(buckets.keys.allSatisfy { (5...5 + seconds).contains($0) })
        #expect(buckets.values.allSatisfy { $0 <= 3 * devices / seconds }, "seed \(seed)")
    }

    private let schedule = Schedule()

    @Test("T14 somebody who types on and on is not put off for ever")
    func steadyEdits() {
        var schedule = Schedule()
        for now in stride(from: Int64(0), to: 1000, by: 50) {
            schedule.wake(.edited, now: now, random: shortest)
        }
        #expect(schedule.delay(now: 1000) == 0)
    }

    @Test("a network that comes and goes is waited for until it stays")
    func flapping() {
        var schedule = Schedule()
        for now in stride(from: Int64(0), through: 4000, by: 1000) {
            schedule.wake(.reconnected, now: now, random: shortest)
        }
        #expect(schedule.delay(now: 4000) == 5000)
    }

    @Test("T10 an edit during a cycle brings another one by itself")
    func editDuringCycle() {
        var schedule = Schedule()
        schedule.wake(.started, now: 0, random: shortest)
        schedule.begin()
        schedule.wake(.edited, now: 10, random: shortest)
        schedule.ended(.synced, madeProgress: true, now: 500, random: longest)
        #expect(schedule.delay(now: 500) == 510)
    }

    @Test("after a cycle that went through, the timer is next, by chance up to a quarter later")
    func interval() {
        for (random, expected) in [({ (_: Int64) in Int64(0) }, Int64(60_000)), (longest, 75_000)] {
            var schedule = Schedule()
            schedule.wake(.started, now: 0, random: shortest)
            schedule.begin()
            schedule.ended(.synced, madeProgress: false, now: 500, random: random)
            #expect(schedule.delay(now: 500) == expected)
        }
    }

    @Test("M17 on a metered connection only what a person begins goes; the rest waits for another")
    func metered() {
        var schedule = Schedule()
        schedule.conditions = DeviceConditions(isMetered: true)
        schedule.wake(.edited, now: 0, random: shortest)
        schedule.wake(.reconnected, now: 0, random: shortest)
        #expect(schedule.delay(now: 1_000_000) == nil)
        for reason in [Schedule.Wake.started, .demanded] {
            schedule.wake(reason, now: 0, random: shortest)
            #expect(schedule.delay(now: 0) == 0)
            schedule.begin()
            schedule.ended(.synced, madeProgress: true, now: 0, random: longest)
            #expect(schedule.delay(now: 0) == nil)
        }
        schedule.conditions = DeviceConditions()
        #expect(schedule.delay(now: 0) == 75_000)
    }

    @Test("F15 with background sync off nothing is due but what a person asks for; on, all is")
    func background() {
        var schedule = Schedule()
        schedule.isBackgroundOff = true
        for reason in [Schedule.Wake.started, .edited, .reconnected] {
            schedule.wake(reason, now: 0, random: shortest)
            #expect(schedule.delay(now: 1_000_000) == nil, "\(reason)")
        }
        schedule.wake(.demanded, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 0)
        schedule.wake(.started, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 0, "the wish stands")
        schedule.begin()
        let busy = CycleOutcome.refused(Refusal(.busy, status: 503, retryAfterSeconds: 1))
        schedule.ended(busy, madeProgress: false, now: 0, random: { _ in 0 })
        #expect(schedule.delay(now: 1_000_000) == nil, "no try of its own follows a failure")
        schedule.isBackgroundOff = false
        #expect(schedule.delay(now: 1_000_000) == 0)
    }

    @Test(
        "M17 with a low battery the timer is slower; edits go as soon as ever",
        arguments: [(false, 10.0, 60_000), (true, 21, 60_000), (true, 20, 240_000)])
    func battery(isOnBattery: Bool, percent: Double, expected: Int64) {
        var schedule = Schedule()
        schedule.conditions = DeviceConditions(
            isOnBattery: isOnBattery, batteryPercent: percent)
        schedule.ended(.synced, madeProgress: true, now: 0, random: { _ in 0 })
        #expect(schedule.delay(now: 0) == expected)
        schedule.wake(.edited, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 1000)
    }

    @Test("the slowest timer is no clock change")
    func slowestTimer() {
        var schedule = Schedule()
        schedule.conditions = DeviceConditions(isOnBattery: true, batteryPercent: 5)
        schedule.ended(.synced, madeProgress: true, now: 0, random: longest)
        #expect(schedule.delay(now: 0) ?? 0 > 240_000)
    }

    @Test("failures wait longer and longer; an edit does not shorten that, a person does")
    func failures() {
        var schedule = Schedule()
        for _ in 0..<20 {
            schedule.begin()
            schedule.ended(offline, madeProgress: false, now: 0, random: longest)
        }
        schedule.wake(.edited, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == Backoff.ceiling)
        schedule.wake(.demanded, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 0)
    }

    @Test("a server that asked for time gets it from a person too")
    func floor() {
        var schedule = Schedule()
        let busy = CycleOutcome.refused(Refusal(.busy, status: 429, retryAfterSeconds: 30))
        schedule.ended(busy, madeProgress: false, now: 0, random: longest)
        schedule.wake(.demanded, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 30_000)
    }

    @Test("T05 a network that returns forgets the waits of the old one, not the server's floor")
    func reconnect() {
        var schedule = Schedule()
        for _ in 0..<20 { schedule.ended(offline, madeProgress: false, now: 0, random: longest) }
        schedule.wake(.reconnected, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 5000)
    }

    @Test("a revoked device asks again only when a person says so")
    func revoked() {
        var schedule = Schedule()
        let revoked = CycleOutcome.refused(Refusal(.revoked, status: 403))
        schedule.ended(revoked, madeProgress: false, now: 0, random: { _ in 0 })
        schedule.wake(.edited, now: 0, random: shortest)
        #expect(schedule.delay(now: 1_000_000) == nil)
        schedule.wake(.demanded, now: 0, random: shortest)
        #expect(schedule.delay(now: 0) == 0)
    }

    @Test("a clock set back by a day does not put the next cycle off by a day")
    func clockSetBack() {
        var schedule = Schedule()
        let day: Int64 = 86_400_000
        schedule.ended(.synced, madeProgress: false, now: day, random: longest)
        #expect(schedule.delay(now: 0) == 0)
    }

    @Test("progress before a failure starts the waits anew")
    func progress() {
        var schedule = Schedule()
        for _ in 0..<20 { schedule.ended(offline, madeProgress: false, now: 0, random: longest) }
        schedule.ended(offline, madeProgress: true, now: 0, random: longest)
        #expect(schedule.backoff.failures == 1)
    }
}
