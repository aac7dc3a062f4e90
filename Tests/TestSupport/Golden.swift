internal import Foundation
package import Testing

/// Compares text with a file that stands beside the tests, and says at which line they part.
///
/// `WALKDOWN_RECORD=1` rewrites the files instead; the change then shows in the diff.
package struct Golden: Sendable {
    private let folder: String

    /// - Parameter folder: the name of a folder beside the calling test's file.
    package init(folder: String, besides file: StaticString = #filePath) {
        let test = URL(fileURLWithPath: "\(file)")
        self.folder = test.deletingLastPathComponent().appendingPathComponent(folder).path
    }

    package func expect(
        _ actual: String, matches name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let path = folder + "/" + name
        if ProcessInfo.processInfo.environment["WALKDOWN_RECORD"] == "1" {
            record(actual, at: path, sourceLocation: sourceLocation)
            return
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            Issue.record(
                "\(name) is not recorded yet: run once with WALKDOWN_RECORD=1",
                sourceLocation: sourceLocation)
            return
        }
        let expected = String(decoding: data, as: UTF8.self)
        guard expected != actual else { return }
        Issue.record(
            Comment(rawValue: difference(expected, actual, name)), sourceLocation: sourceLocation)
    }

    private func record(_ text: String, at path: String, sourceLocation: SourceLocation) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            Issue.record(error, "cannot record \(path)", sourceLocation: sourceLocation)
        }
    }

    private func difference(_ expected: String, _ actual: String, _ name: String) -> String {
        let before = expected.split(separator: "\n", omittingEmptySubsequences: false)
        let after = actual.split(separator: "\n", omittingEmptySubsequences: false)
        var line = 0
        while line < min(before.count, after.count), before[line] == after[line] { line += 1 }
        let was = line < before.count ? String(before[line]) : "(end)"
        let now = line < after.count ? String(after[line]) : "(end)"
        return "\(name) differs at line \(line + 1)\n  was: \(was)\n  now: \(now)\n\(actual)"
    }
}
