import Foundation
import TestSupport
import Testing

/// The connection is reset after any number of bytes: no edit lost, none applied twice, nothing
/// stuck. CI does some rounds; `WALKDOWN_CUTS=500` does as many as a release wants.
@Suite("The connection is cut anywhere", .serialized)
struct CutTests {
    static let rounds = ProcessInfo.processInfo.environment["WALKDOWN_CUTS"].flatMap(Int.init) ?? 40

    @Test("T07 T16 a reset at any byte of a synchronisation leaves each edit sent once")
    func cuts() throws {
        let world = try World()
        let proxy = try CuttingProxy(to: world.port)
        let device = try world.enrol("device", through: "https://127.0.0.1:\(proxy.port)")
        let ledger = Ledger(world: world, device: device)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        proxy.allow(nil)
        try ledger.answer("round 0")
        try device.run("sync")
        let whole = proxy.passed
        #expect(whole > 1_000, "the synchronisation did not go through the relay")
        var met = 0
        for round in 1...Self.rounds {
            try ledger.answer("round \(round)")
            let cut = random.below(whole)
            proxy.allow(cut)
            let sync = try ledger.startSync()
            var status: Int32 = 0
            waitpid(sync, &status, 0)
            // Done, or not finished and to be tried again.
            #expect(
                status == 0 || status == 4 << 8, "seed \(seed), round \(round), byte \(cut)")
            if status != 0 { met += 1 }
        }
        #expect(met > 0, "seed \(seed): no cut met an exchange")
        proxy.allow(nil)
        try ledger.expectEverythingOnce(last: "round \(Self.rounds)", seed: seed)
    }
}
