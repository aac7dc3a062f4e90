import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing
import Vault

@Suite("Homes and leases")
struct HomeTests {
    @Test("the option counts before the environment, that before XDG, that before the home folder")
    func places() throws {
        var environment = ["WALKDOWN_HOME": "/w", "XDG_DATA_HOME": "/x", "HOME": "/h"]
        #expect(try Home.locate(option: "/o", environment: environment).directory == "/o")
        #expect(try Home.locate(option: nil, environment: environment).directory == "/w")
        environment["WALKDOWN_HOME"] = ""
        #expect(try Home.locate(option: nil, environment: environment).directory == "/x/walkdown")
        environment["XDG_DATA_HOME"] = "relative"
        let usual = "/h/.local/share/walkdown"
        #expect(try Home.locate(option: nil, environment: environment).directory == usual)
        #expect(throws: VaultError.self) { try Home.locate(option: nil, environment: [:]) }
    }

    @Test("preparing makes parents and closes an open folder")
    func prepare() throws {
        let folder = try TemporaryFolder("home")
        let home = Home(folder.path + "/a/b//c/")
        try home.prepare()
        try home.prepare()
        #expect(mode(of: folder.path + "/a/b/c") == 0o700)
        #expect(chmod(folder.path + "/a/b/c", 0o755) == 0)
        try home.prepare()
        #expect(mode(of: folder.path + "/a/b/c") == 0o700)
    }

    @Test("a file where the home should be is an error that names it")
    func notAFolder() throws {
        let folder = try TemporaryFolder("home")
        let path = folder.path + "/file"
        let file = try #require(fopen(path, "w"))
        fclose(file)
        #expect(throws: VaultError.system(operation: "open", path: path, code: ENOTDIR)) {
            try Home(path).prepare()
        }
    }

    @Test(
        "V01 a second lease is refused with the holder's number, and given when the first is gone")
    func lease() throws {
        let home = Home(try TemporaryFolder("home").path + "/h")
        #expect(try HomeLease.holder(of: home) == nil)
        do {
            let first = try HomeLease.acquire(home)
            #expect(try HomeLease.holder(of: home) == getpid())
            #expect(throws: VaultError.held(pid: getpid())) { try HomeLease.acquire(home) }
            withExtendedLifetime(first) {}
        }
        #expect(try HomeLease.holder(of: home) == nil)
        _ = try HomeLease.acquire(home)
    }

    @Test("a full disk keeps nobody from the lease: the number in it is a courtesy")
    func fullDisk() throws {
        let home = Home(try TemporaryFolder("home").path + "/h")
        try home.prepare()
        // Writing to it fails with ENOSPC.
        #expect(symlink("/dev/full", home.lock) == 0)
        let lease = try HomeLease.acquire(home)
        #expect(try HomeLease.holder(of: home) == nil)
        withExtendedLifetime(lease) {}
    }

    @Test("the number is written in its place: the file keeps its size, held or not")
    func inPlace() throws {
        let home = Home(try TemporaryFolder("home").path + "/h")
        func size() -> Int {
            var status = stat()
            return stat(home.lock, &status) == 0 ? Int(status.st_size) : 0
        }
        for _ in 1...3 {
            let lease = try HomeLease.acquire(home)
            #expect(size() == 12)
            #expect(try HomeLease.holder(of: home) == getpid())
            withExtendedLifetime(lease) {}
        }
        #expect(size() == 12)
    }

    /// Tells them when to stop.
    private final class Readers: Sendable {
        let isOver = Atomic(false)
    }

    @Test("readers that look all the time do not stand in a writer's way")
    func busyReaders() throws {
        let home = Home(try TemporaryFolder("home").path + "/h")
        try home.prepare()
        let readers = Readers()
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) {
            while !readers.isOver.load(ordering: .relaxed) {
                _ = try? HomeLease.holder(of: home)
            }
        }
        defer {
            readers.isOver.store(true, ordering: .relaxed)
            group.wait()
        }
        for _ in 1...200 { withExtendedLifetime(try HomeLease.acquire(home)) {} }
    }

    @Test("the signal to lock goes to a process of ours and to nobody else")
    func strangerWithTheNumber() throws {
        // init, kthreadd or whatever the first process here is: not this program.
        #expect(!LockSignal.send(to: 1))
        #expect(!LockSignal.send(to: Int32.max))
    }

    @Test("F13 a number that a killed process left in the lock is not believed, the lock is free")
    func staleNumber() throws {
        let home = Home(try TemporaryFolder("home").path + "/h")
        try home.prepare()
        let file = try #require(fopen(home.lock, "w"))
        fputs("1\n", file)
        fclose(file)
        #expect(try HomeLease.holder(of: home) == nil)
        _ = try HomeLease.acquire(home)
    }
}

@Suite("The clock of the wait after wrong PINs")
struct BootClockTests {
    @Test("the real boot clock runs and agrees with the kernel's file")
    func real() throws {
        let first = BootClock.now()
        let instant = try BootInstant.current()
        #expect(abs(instant.milliseconds - first) < 5000)
        #expect(instant.boot.count == 36)
        #expect(BootClock.now() >= first)
    }
}
