internal import Synchronization

/// Chance that falls the same each time a question of an inspection is shown, and otherwise for another
/// question or inspection: a list that is shuffled anew with each key press could not be read.
final class SteadyChance: Sendable {
    private let fractions: Mutex<SeededFractions>

    init(for key: AnswerKey, of inspection: String) {
        // FNV-1a of 32 bits, which the generator takes as a seed.
        var hash: UInt32 = 2_166_136_261
        for byte in "\(inspection) \(key.row ?? "") \(key.path)".utf8 {
            hash = (hash ^ UInt32(byte)) &* 16_777_619
        }
        var seeded = SeededFractions(seed: Int(hash))
        // Its first number is near that of the next seed.
        _ = seeded.next()
        fractions = Mutex(seeded)
    }

    func next() -> Double { fractions.withLock { $0.next() } }
}
