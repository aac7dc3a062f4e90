import CFaultyDisk

/// The disk of one machine: everything below its folder.
struct Disk {
    let folder: String
    private let machine: Int32

    init(folder: String) {
        self.folder = folder
        machine = walkdown_disk_add(folder)
        precondition(machine >= 0, "too many machines")
    }

    /// The process that uses it ends in the middle of its next but so many writes.
    func stop(after steps: Int?) { walkdown_disk_stop_after(machine, steps ?? -1) }

    var hasStopped: Bool { walkdown_disk_has_stopped(machine) }

    func fill(_ isFull: Bool) { walkdown_disk_fill(machine, isFull) }

    /// After the files were closed.
    func cutPower(seed: UInt64) { walkdown_disk_cut_power(machine, seed) }

    /// Told before each write, on the thread that makes it; it has to live as long.
    func watch(_ watcher: DiskWatcher?) {
        guard let watcher else { return walkdown_disk_watch(machine, nil, nil) }
        walkdown_disk_watch(
            machine,
            { context in
                guard let context else { return }
                Unmanaged<DiskWatcher>.fromOpaque(context).takeUnretainedValue().beforeWrite()
            }, Unmanaged.passUnretained(watcher).toOpaque())
    }

    /// The copies of its files in this folder become what it would hold if the power went now.
    func lose(in folder: String, seed: UInt64) { walkdown_disk_lose(machine, folder, seed) }

    /// Everything that was written is on the disk.
    func settle() { walkdown_disk_settle(machine) }

    func start() { walkdown_disk_start(machine) }

    static func forgetAll() { walkdown_disk_forget() }

    static func copy(_ source: String, to target: String) throws {
        guard walkdown_disk_copy(source, target) == 0 else {
            throw GroundFailure("cannot copy \(source) to \(target)")
        }
    }

    /// As with `synchronous = NORMAL`: a log is on the disk only when its database is written.
    func skipLogs() { walkdown_disk_skip_logs(machine) }
}

struct GroundFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

final class DiskWatcher {
    let beforeWrite: () -> Void

    init(_ beforeWrite: @escaping () -> Void) { self.beforeWrite = beforeWrite }
}
