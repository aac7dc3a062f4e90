internal import Crypto

/// Where a device stands in the feed: opaque to it, up to seven numbers to us.
struct Cursor: Equatable {
    /// The server's epoch; a position means nothing without it.
    var epoch: Int64
    /// Everything in scope up to here has been delivered.
    var position: Int64
    /// The team's scope version under which that is true.
    var scope: Int64
    /// While records of sites that joined the scope later are delivered.
    var expansion: Expansion?
    /// While everything is pulled from the beginning: the prune position when that began. Tombstones
    /// before it are not missed; who has none of the records needs none of them.
    var floor: Int64?

    struct Expansion: Equatable {
        /// The scope version that is being caught up with.
        var target: Int64
        /// Position of the last record delivered from the sites that joined.
        var offset: Int64
        /// Position of the last record that was told to have left; nil when all have been.
        var removal: Int64?
    }

    init(epoch: Int64, position: Int64, scope: Int64, expansion: Expansion? = nil) {
        self.epoch = epoch
        self.position = position
        self.scope = scope
        self.expansion = expansion
    }

    /// Whether a feed that stands there cannot have given it out. An epoch that is still to come has
    /// been forgotten, like a position.
    func isAhead(of epoch: Int64, _ position: Int64) -> Bool {
        self.epoch > epoch || self.epoch == epoch && self.position > position
    }

    /// Without its seal.
    var text: String {
        let extra =
            expansion.map { [$0.target, $0.offset] + ($0.removal.map { [$0] } ?? []) } ?? []
        let content = ([epoch, position, scope] + extra).map { String($0, radix: 36) }
            .joined(separator: ".")
        return content + (floor.map { "~" + String($0, radix: 36) } ?? "")
    }

    init(_ text: String) throws {
        let refusal = ServerStoreError(.badCursor, "this is no cursor of this server")
        guard text.utf8.count <= 160 else { throw refusal }
        let halves = CursorSeal.content(of: text).split(
            separator: "~", omittingEmptySubsequences: false)
        guard halves.count <= 2, let content = halves.first else { throw refusal }
        let parts = content.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Int64($0, radix: 36) }
        guard numbers.count == parts.count, [3, 5, 6].contains(numbers.count),
            numbers.allSatisfy({ $0 >= 0 })
        else { throw refusal }
        self.init(epoch: numbers[0], position: numbers[1], scope: numbers[2])
        if halves.count == 2 {
            guard let floor = Int64(halves[1], radix: 36), floor >= 0 else { throw refusal }
            self.floor = floor
        }
        if numbers.count > 3 {
            expansion = Expansion(
                target: numbers[3], offset: numbers[4],
                removal: numbers.count == 6 ? numbers[5] : nil)
        }
    }
}

/// Tells a cursor that this server gave out from one that somebody made up: only the first shows,
/// where it is ahead of the feed, that the database was set back. Cursors without a seal, of earlier
/// versions, are good for everything else. Batons bear it too (`Baton`).
struct CursorSeal: Sendable {
    private let secret: [UInt8]

    static let secretCount = 32

    init(secret: [UInt8]) {
        self.secret = secret
    }

    /// A cursor as it is given out.
    func text(of cursor: Cursor) -> String {
        let content = cursor.text
        return content + "-" + tag(Substring(content))
    }

    /// The cursor, where this server gave it out.
    func genuine(_ text: String) -> Cursor? {
        let content = CursorSeal.content(of: text)
        guard content + "-" + tag(content) == text else { return nil }
        return try? Cursor(text)
    }

    static func content(of text: String) -> Substring {
        text.prefix { $0 != "-" }
    }

    /// The secret on both sides of the text, which has a bounded length.
    func tag(_ content: Substring) -> String {
        let hash = SHA256.hash(secret + Array(content.utf8) + secret)
        return Hexadecimal.encode(hash.prefix(8))
    }
}
