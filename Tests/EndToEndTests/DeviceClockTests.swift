import Coding
import Foundation
import TestSupport
import Testing

/// The clock of a handheld is wrong, by faketime(1): entering goes on, nothing is ordered by it, and what a
/// certificate does not allow is said and made up for later.
@Suite("A clock that is wrong", .serialized)
struct DeviceClockTests {
    static let days = [
        "1970-01-02 00:00:00", "2024-11-30 12:00:00", "2028-11-30 12:00:00", "2038-01-20 03:14:08",
    ]

    private func faked(_ day: String) -> [String] {
        ["faketime", "-f", "--exclude-monotonic", "@" + day]
    }

    @Test(
        "R-10 F42 T58 the last answer is the last one, whatever the clock said when it was entered")
    func order() throws {
        let world = try World()
        let device = try world.enrol("device")
        let ledger = Ledger(world: world, device: device)
        for (number, day) in (Self.days + Self.days.reversed()).enumerated() {
            let answer = try device.attempt(
                [
                    "sql", "--write",
                    "UPDATE cold_chain_equipment SET notes = 'round \(number)'",
                ], under: faked(day))
            #expect(answer.status == 0, "\(day): \(answer.messages)")
            let sync = try device.attempt(["sync"], under: faked(day))
            #expect([0, 4].contains(sync.status), "\(day): \(sync.messages)")
            if sync.status == 4 {
                #expect(sync.messages.contains("check the clock"), "\(day): \(sync.messages)")
            }
        }
        try ledger.expectEverythingOnce(last: "round \(2 * Self.days.count - 1)", seed: 0)
    }

    @Test("R-10 T58 two devices years apart: the newest answer wins by its base, not by its date")
    func twoDevices() throws {
        let world = try World()
        let (early, late) = (try world.enrol("early"), try world.enrol("late"))
        let id = try late.inspection(of: "FRZ-1")
        for (number, day) in ["2028-11-30 12:00:00", "2026-06-01 12:00:00"].enumerated() {
            let device = number == 0 ? late : early
            try device.run("sync")
            let words = ["set", id, "notes=answer \(number)"]
            #expect(try device.attempt(words, under: faked(day)).status == 0)
            let sync = try device.attempt(["sync"], under: faked(day))
            #expect(sync.status == 0, "\(day): \(sync.messages)")
        }
        try late.run("sync")
        for device in [early, late] {
            #expect(try device.answer("notes", of: "FRZ-1") == "answer 1")
            #expect(try device.status()["conflict"] == 0)
        }
    }
}
