internal import Glibc
import TerminalKit

/// A text on its way to the person's own editor and back: a file in a folder of its own, in memory, that
/// nobody else can read and that goes when the text is back.
final class OutsideText {
    private let folder: String
    private let program: String
    private let original: String
    private var file: String { folder + "/answer.txt" }

    /// The editor, as the environment names it: `VISUAL`, else `EDITOR`.
    static func program(in environment: [String: String]) -> String? {
        ["VISUAL", "EDITOR"].compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// Nil where there is no folder in memory: no answer is written to a disk in the clear.
    init?(_ text: String, program: String, environment: [String: String]) {
        let places = [environment["XDG_RUNTIME_DIR"], "/dev/shm"].compactMap(\.self)
        guard let place = places.first(where: OtherProgram.isInMemory) else { return nil }
        var template = Array((place + "/walkdown-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.program = program
        original = text
        guard write(text) else {
            remove()
            return nil
        }
    }

    /// The shell takes the program's words apart, as for everybody who asks `EDITOR`.
    var other: OtherProgram {
        OtherProgram(words: ["/bin/sh", "-c", "exec \(program) \"$0\"", file])
    }

    /// What came of it; the file is gone afterwards unless it holds more than an answer can.
    func take(after end: OtherProgram.End, limit: Int) -> OutsideEdit {
        switch end {
        case .failed: return refuse("The editor could not be started; the text is as it was")
        case .status(let status) where status != 0:
            return refuse("The editor ended with \(status); the text is as it was")
        case .status, .signal: break
        }
        guard let bytes = read() else {
            return refuse("The editor left no file; the text is as it was")
        }
        var text = PasteText.clean(bytes)
        // Editors end a file with a line end, which nobody has typed.
        if text.hasSuffix("\n"), !original.hasSuffix("\n") { text.removeLast() }
        guard text.utf8.count <= limit else {
            return OutsideEdit(
                text: nil,
                notice: "That is more than an answer can hold; what was edited stands in \(file)")
        }
        remove()
        let isKilled = if case .signal = end { true } else { false }
        return OutsideEdit(
            text: text, notice: isKilled ? "The editor was killed; what it had saved is here" : nil)
    }

    private func refuse(_ notice: String) -> OutsideEdit {
        remove()
        return OutsideEdit(text: nil, notice: notice)
    }

    private func write(_ text: String) -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Nil where it is not there. More than can be an answer by far is cut.
    private func read() -> [UInt8]? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < 1 << 20 {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// With whatever the editor has left beside it.
    private func remove() {
        if let listing = opendir(folder) {
            while let entry = readdir(listing) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                }
                if name != ".", name != ".." { unlink(folder + "/" + name) }
            }
            closedir(listing)
        }
        rmdir(folder)
    }
}
