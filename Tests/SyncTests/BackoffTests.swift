import Sync
import TestSupport
import Testing

@Suite("Backoff")
struct BackoffTests {
    private let longest: (Int64) -> Int64 = { $0 - 1 }
    private let shortest: (Int64) -> Int64 = { _ in 0 }

    @Test(
        "the bound doubles from one second to five minutes",
        arguments: zip(
            [0, 1, 2, 3, 8, 9, 10, 63, 64, 100_000],
            [1, 2, 4, 8, 256, 300, 300, 300, 300, 300] as [Int64]))
    func bound(failures: Int, seconds: Int64) {
        #expect(Backoff.bound(failures: failures) == seconds * 1000)
    }

    @Test("the wait is drawn from the whole of zero to the bound")
    func fullJitter() {
        var late = Backoff()
        var early = Backoff()
        for _ in 0..<20 {
            late.failed(now: 0, random: longest)
            early.failed(now: 0, random: shortest)
        }
        #expect(late.remaining(now: 0) == Backoff.ceiling)
        #expect(early.remaining(now: 0) == 0)
    }

    @Test(
        "T100 a thousand devices at the cap spread evenly over it",
        arguments: [1, 2, 3] as [UInt64])
    func herd(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var buckets = [Int](repeating: 0, count: 10)
        for _ in 0..<1000 {
            var backoff = Backoff()
            for _ in 0..<12 {
                backoff.failed(now: 0) { Int64(random.below(Int($0))) }
            }
            let wait = backoff.remaining(now: 0)
            buckets[min(9, Int(wait / (Backoff.ceiling / 10)))] += 1
        }
        #expect(buckets.allSatisfy { (50...150).contains($0) }, "seed \(seed): \(buckets)")
    }

    @Test("Retry-After is a floor under our own wait, also for a person")
    func floor() {
        var backoff = Backoff()
        backoff.failed(now: 1000, retryAfterSeconds: 30, random: shortest)
        #expect(backoff.remaining(now: 1000) == 30_000)
        #expect(backoff.remainingFloor(now: 11_000) == 20_000)
        #expect(backoff.remaining(now: 31_000) == 0)
    }

    @Test(
        "T100 a thousand devices that were refused in one second come back over more than one",
        arguments: [1, 2, 3] as [UInt64])
    func refusedTogether(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var buckets = [Int](repeating: 0, count: 40)
        for _ in 0..<1000 {
            var backoff = Backoff()
            backoff.failed(now: 0, retryAfterSeconds: 20) { Int64(random.below(Int($0))) }
            buckets[min(39, Int(backoff.remaining(now: 0) / 1000))] += 1
        }
        #expect(buckets[..<20].allSatisfy { $0 == 0 }, "seed \(seed): \(buckets)")
        #expect(buckets[20...].allSatisfy { (20...90).contains($0) }, "seed \(seed): \(buckets)")
    }

    @Test("the longest Retry-After and our own longest wait follow each other")
    func longestOfBoth() {
        var backoff = Backoff()
        for _ in 0..<12 { backoff.failed(now: 0, retryAfterSeconds: 3600, random: longest) }
        #expect(backoff.remaining(now: 0) == Backoff.floorCeiling + Backoff.ceiling)
        #expect(backoff.remainingFloor(now: 0) == Backoff.floorCeiling)
    }

    @Test("a person does not wait for our own backoff")
    func onDemand() {
        var backoff = Backoff()
        for _ in 0..<12 { backoff.failed(now: 0, random: longest) }
        #expect(backoff.remaining(now: 0) > 0)
        #expect(backoff.remainingFloor(now: 0) == 0)
    }

    @Test("a Retry-After of years, of less than nothing or beyond Int64 is bounded")
    func absurd() {
        var backoff = Backoff()
        for seconds: Int64 in [.max, 100 * 365 * 86_400] {
            backoff.failed(now: 0, retryAfterSeconds: seconds, random: shortest)
            #expect(backoff.remainingFloor(now: 0) == Backoff.floorCeiling)
        }
        backoff.failed(now: 0, retryAfterSeconds: .min, random: shortest)
        #expect(backoff.remainingFloor(now: 0) == 0)
    }

    @Test("a clock that is set back does not make the device wait for the lost time")
    func clockSetBack() {
        var backoff = Backoff()
        let now: Int64 = 1_000_000_000_000
        for _ in 0..<12 {
            backoff.failed(now: now, retryAfterSeconds: 60, random: longest)
        }
        #expect(backoff.remaining(now: now - 86_400_000) == 0)
        #expect(backoff.remaining(now: now - 1000) > 0)
    }

    @Test("progress starts again from the shortest wait")
    func progress() {
        var backoff = Backoff()
        for _ in 0..<12 { backoff.failed(now: 0, retryAfterSeconds: 9, random: longest) }
        backoff.progressed()
        #expect(backoff == Backoff())
    }
}
