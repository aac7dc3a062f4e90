internal import Glibc

/// `walkdown.log`: what libraries said on standard error while the screen was up. It is not
/// encrypted, so it is kept short.
struct WarningLog {
    let path: String

    /// Bytes.
    static let longest: Int64 = 64 << 10

    init(_ path: String) { self.path = path }

    var size: Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// Leaves the newest half where the file has grown past its bound, cut at a line. A log that
    /// cannot be read or written is left as it is: nothing depends on it.
    func shorten() {
        guard size > Self.longest else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let kept = newest(Int(Self.longest / 2), of: descriptor)
        let written = kept.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        if written == kept.count { ftruncate(descriptor, off_t(written)) }
    }

    private func newest(_ count: Int, of descriptor: Int32) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(size) - off_t(count))
        let tail = bytes[..<max(0, got)]
        let lineEnd = tail.firstIndex(of: UInt8(ascii: "\n")) ?? tail.startIndex - 1
        return tail[(lineEnd + 1)...]
    }
}
