internal import Glibc

/// The right to write a home. One process has it at a time (flock(2) on `lock`, which the kernel
/// lets go when the process ends, however it ends); others may read.
package final class HomeLease: Sendable {
    package let home: Home
    private let descriptor: Int32

    /// Throws `.held` with the process that has the home.
    package static func acquire(_ home: Home) throws(VaultError) -> HomeLease {
        try home.prepare()
        let file = try Descriptor(home.lock, O_RDWR | O_CREAT)
        guard try lock(file) else { throw .held(pid: readHolder(of: home)) }
        // A second descriptor of the same open file keeps the lock when `file` closes.
        let kept = fcntl(file.raw, F_DUPFD_CLOEXEC, 0)
        guard kept >= 0 else { throw .failed("keep open", home.lock) }
        let lease = HomeLease(home, descriptor: kept)
        lease.note("\(getpid())")
        return lease
    }

    /// Others have the lock for a moment without holding the home: a reader that looks whether it
    /// is held, a child that the last holder was starting. Tried for a tenth of a second.
    private static func lock(_ file: borrowing Descriptor) throws(VaultError) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(5000) }
            if try file.lock(LOCK_EX | LOCK_NB) { return true }
        }
        return false
    }

    private init(_ home: Home, descriptor: Int32) {
        self.home = home
        self.descriptor = descriptor
    }

    deinit {
        note("")
        close(descriptor)
    }

    /// Writes who holds the home: a courtesy to readers, without which nothing fails (the lock
    /// itself is the descriptor's). Always as many bytes in the same place: on a full disk too.
    private func note(_ holder: String) {
        let line = holder + String(repeating: " ", count: 11 - holder.utf8.count) + "\n"
        _ = Array(line.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// The process that writes this home now; nil when there is none.
    package static func holder(of home: Home) throws(VaultError) -> Int32? {
        guard DurableFile.exists(home.lock) else { return nil }
        let file = try Descriptor(home.lock, O_RDONLY)
        guard try !file.lock(LOCK_SH | LOCK_NB) else { return nil }
        return readHolder(of: home)
    }

    /// A holder writes its number just after it got the lock: a reader in between looks again, for
    /// a tenth of a second at most.
    private static func readHolder(of home: Home) -> Int32? {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(5000) }
            // A failed read says no more than an empty file: the holder is not known.
            guard let bytes = try? Descriptor(home.lock, O_RDONLY).readAll(limit: 32) else {
                return nil
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.firstIndex(of: "\n") else { continue }
            if let pid = Int32(text[..<end].prefix { $0 != " " }) { return pid }
        }
        return nil
    }
}

/// How `walkdown lock` speaks to the process that holds the home. Every process of ours ignores or
/// handles this signal before it takes the lease: its default would end it.
package enum LockSignal {
    package static let number = SIGUSR1

    /// For commands that end by themselves within moments, and then hold no key any more.
    package static func ignore() {
        signal(number, SIG_IGN)
    }

    /// False when the process has ended meanwhile, or is none of ours: between two holders `lock`
    /// names one that is gone, and its number may be somebody else's by now.
    package static func send(to pid: Int32) -> Bool {
        guard let own = name(of: "self"), name(of: "\(pid)") == own else { return false }
        return kill(pid, number) == 0
    }

    /// What a process calls its program (proc(5)). Not `exe`, which a process that protects its
    /// memory shows to nobody.
    private static func name(of process: String) -> [UInt8]? {
        try? Descriptor("/proc/\(process)/comm", O_RDONLY).readAll(limit: 64)
    }
}
