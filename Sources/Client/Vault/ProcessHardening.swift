internal import CSystem
internal import Crypto
internal import Glibc

/// What a process that will hold keys does first, and what it could not have.
package enum ProcessHardening {
    /// Something that weakens the protection of keys in memory; for `doctor` and a warning.
    package enum Weakness: Equatable, Sendable {
        /// A crash could leave memory on disk.
        case coreFilesPossible
        /// Other processes of the same person may read this one's memory.
        case readableByOthers
        /// `RLIMIT_MEMLOCK` is too small: keys could be swapped out.
        case memoryNotLockable
        /// Swap is on; keys are locked against it, answers on the screen are not.
        case swapInUse
    }

    /// No core files, no `ptrace`, no reading of `/proc/PID/mem` by the same person.
    package static func apply() -> [Weakness] {
        var found: [Weakness] = []
        if walkdown_forbid_core_files() != 0 { found.append(.coreFilesPossible) }
        if walkdown_forbid_dumping() != 0 { found.append(.readableByOthers) }
        return found + surroundings()
    }

    /// What can be seen without changing anything.
    package static func surroundings() -> [Weakness] {
        var found: [Weakness] = []
        if !SecretBytes(count: 32).isLockedInMemory { found.append(.memoryNotLockable) }
        if isSwapOn { found.append(.swapInUse) }
        return found
    }

    /// `/proc/swaps` has one line of headings and one for each area.
    private static var isSwapOn: Bool {
        // A system without /proc/swaps has no swap.
        guard let bytes = try? Descriptor("/proc/swaps", O_RDONLY).readAll(limit: 4096) else {
            return false
        }
        return bytes.filter { $0 == UInt8(ascii: "\n") }.count > 1
    }
}
