import Coding
import Foundation
import TestSupport
import Testing

/// A home on a file system of its own that fills up. `WALKDOWN_SIZES=256` tries as many sizes as a release
/// wants.
@Suite("A full disk", .serialized)
struct SmallDiskTests {
    private static let sizes =
        ProcessInfo.processInfo.environment["WALKDOWN_SIZES"].flatMap(Int.init) ?? 16

    /// Whether this machine lets a process have a file system of its own.
    private static let canMount: Bool = {
        do {
            let folder = try TemporaryFolder("mount")
            return try Spawn.run(
                ["unshare", "-rm", "mount", "-t", "tmpfs", "none", folder.path],
                output: folder.file("out"), errors: folder.file("err")) == 0
        } catch {
            return false
        }
    }()

    /// Edits until one is refused, makes room, and shows what is there. The last line is the queue.
    private static let script = """
        set -u
        room=$1 home=$2 copy=$3 inspection=$4; shift 4
        mount -t tmpfs -o size=$((room * 4))k none "$home" || exit 90
        cp -a "$copy/." "$home/" || exit 91
        text=$(head -c 60000 /dev/zero | tr '\\0' x)
        saved=0
        refused=
        for number in $(seq 1 60); do
            "$@" set "$inspection" "notes=$text $number" --home "$home" >/dev/null 2>"$home.err"
            status=$?
            if [ $status = 0 ]; then saved=$number; continue; fi
            [ $status -lt 124 ] && grep -q 'disk is full' "$home.err" || exit 92
            refused=$status
            break
        done
        [ -n "$refused" ] || exit 93
        mount -o remount,size=64m "$home" || exit 94
        "$@" doctor --home "$home" >&2 || "$@" doctor --repair --home "$home" >&2 || exit 95
        "$@" set "$inspection" "door_seals=pass" --home "$home" >&2 || exit 96
        echo $saved
        "$@" outbox --json --home "$home"
        """

    @Test(
        "R-6 T98 at any size of the disk: what does not fit is refused and told, what was saved stays",
        .enabled(if: canMount, "this machine lets nobody mount a file system of his own"))
    func sizes() throws {
        let bench = try FaultBench()
        let world = bench.world
        let mount = world.folder.file("mount")
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        try bench.withCopy { copy in
            let needed = try pages(of: copy.home)
            for size in 0..<Self.sizes {
                let room = needed + 8 + size * max(1, 256 / Self.sizes)
                let output = world.folder.file("small")
                let status = try Spawn.run(
                    ["timeout", "120", "unshare", "-rm", "sh", "-c", Self.script, "sh"]
                        + ["\(room)", mount, copy.home, bench.inspection, "sh", "-c"]
                        + ["exec \(copy.walkdown) \"$@\" --pin-file \(copy.pinFile)", "sh"],
                    output: output, errors: output + ".err")
                let errors = String(
                    decoding: try world.folder.bytes(of: "small.err"), as: UTF8.self)
                #expect(status == 0, "\(room) pages of 4 KiB: \(errors)")
                guard status == 0 else { continue }
                try expectKept(
                    String(decoding: try world.folder.bytes(of: "small"), as: UTF8.self),
                    "\(room) pages of 4 KiB")
            }
        }
    }

    /// Reads on a disk that has not a byte left, and on one that can only be read.
    private static let reading = """
        set -u
        home=$1 copy=$2; shift 2
        mount -t tmpfs -o size=64m none "$home" || exit 90
        cp -a "$copy/." "$home/" || exit 91
        rm -f "$home/walkdown.db-shm"
        cat /dev/zero >"$home/fill" 2>/dev/null
        "$@" status --home "$home" >&2 || exit 92
        ls -d /dev/shm/walkdown-read-* >/dev/null 2>&1 && exit 93
        "$@" outbox --json --home "$home" || exit 94
        mount -o remount,ro "$home" || exit 95
        "$@" outbox --json --home "$home" >/dev/null && exit 96
        exit 0
        """

    @Test(
        "R-6 on a disk without a free byte everything that waits is read, also from a hot log",
        .enabled(if: canMount, "this machine lets nobody mount a file system of his own"),
        arguments: [false, true])
    func readOnFull(isHot: Bool) throws {
        let bench = try FaultBench()
        if isHot { try bench.leaveHotLog() }
        let world = bench.world
        let mount = world.folder.file("mount")
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        let output = world.folder.file("full")
        let device = bench.template
        let status = try Spawn.run(
            ["timeout", "60", "unshare", "-rm", "sh", "-c", Self.reading, "sh"]
                + [mount, device.home, "sh", "-c"]
                + ["exec \(device.walkdown) \"$@\" --pin-file \(device.pinFile)", "sh"],
            output: output, errors: output + ".err")
        let errors = String(decoding: try world.folder.bytes(of: "full.err"), as: UTF8.self)
        #expect(status == 0, "\(errors)")
        #expect(errors.contains("can only be read"), "\(errors)")
        let rows = try JSON.parse(try world.folder.bytes(of: "full")).asArray()
        let notes = rows.compactMap { row -> JSON? in
            guard case .object(let payload)? = try? row.required("payload") else { return nil }
            return payload["notes"]
        }
        #expect(notes.last == (isHot ? "hot" : "old"))
    }

    private func expectKept(_ output: String, _ story: String) throws {
        let parts = output.split(separator: "\n", maxSplits: 1)
        let saved = try #require(Int(parts[0]), "\(story)")
        var answers: [String: JSON] = [:]
        for row in try JSON.parse(Array(parts[1].utf8)).asArray() {
            guard case .object(let payload) = try row.required("payload") else { continue }
            answers.merge(payload) { $1 }
        }
        #expect(answers["facility"] == "kept", "\(story)")
        guard case .string(let notes)? = answers["notes"] else {
            throw HarnessError("\(story): the notes are gone")
        }
        #expect(saved == 0 ? notes == "old" : notes.hasSuffix("x \(saved)"), "\(story)")
    }

    /// Of 4 KiB, as a tmpfs counts them.
    private func pages(of folder: String) throws -> Int {
        var count = 4
        for case let name as String in FileManager.default.enumerator(atPath: folder) ?? .init() {
            let data = FileManager.default.contents(atPath: folder + "/" + name)
            count += 1 + (data?.count ?? 0) / 4096
        }
        return count
    }
}
