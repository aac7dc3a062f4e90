/// What happened in a run, for people; kept only where somebody will read it.
final class Story {
    private let isKept: Bool
    private let folder: String
    private(set) var lines: [String] = []

    /// - Parameter folder: where the run takes place. Named anew for each run, it is left out of what
    ///   errors say, so that the same seed tells the same story.
    init(isKept: Bool, in folder: String) {
        self.isKept = isKept
        self.folder = folder
    }

    func tell(_ now: Int64, _ line: @autoclosure () -> String) {
        guard isKept else { return }
        lines.append(Self.clock(now) + " " + line().replacing(folder, with: ""))
    }

    private static func clock(_ now: Int64) -> String {
        let seconds = now / 1000
        let parts = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { value in
            value < 10 ? "0\(value)" : "\(value)"
        }
        let rest = "\(1000 + now % 1000)".dropFirst()
        return parts.joined(separator: ":") + "." + rest
    }
}

/// A check that does not hold.
struct Violation: Error, CustomStringConvertible {
    var check: String
    var detail: String

    init(_ check: String, _ detail: String) {
        self.check = check
        self.detail = detail
    }

    var description: String { "\(check): \(detail)" }
}
