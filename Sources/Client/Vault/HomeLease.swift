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
        if try !file.lock(LOCK_EX | LOCK_NB) {
            let holder = readHolder(of: home)
            // Without a number the holder has just let go: a child that it was starting has a copy
            // of its descriptor until it becomes another program.
            if let holder { throw .held(pid: holder) }
            guard try file.lock(LOCK_EX | LOCK_NB) else { throw .held(pid: nil) }
        }
        try file.truncate(to: 0)
        try file.write(Array("\(getpid())\n".utf8))
        // A second descriptor of the same open file keeps the lock when `file` closes.
        let kept = fcntl(file.raw, F_DUPFD_CLOEXEC, 0)
        guard kept >= 0 else { throw .failed("keep open", home.lock) }
        return HomeLease(home, descriptor: kept)
    }

    private init(_ home: Home, descriptor: Int32) {
        self.home = home
        self.descriptor = descriptor
    }

    deinit {
        // The number is a courtesy to readers; the lock itself goes with the descriptor.
        ftruncate(descriptor, 0)
        close(descriptor)
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
            if text.hasSuffix("\n"), let pid = Int32(text.dropLast()) { return pid }
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

    /// False when the process has ended meanwhile.
    package static func send(to pid: Int32) -> Bool {
        kill(pid, number) == 0
    }
}
