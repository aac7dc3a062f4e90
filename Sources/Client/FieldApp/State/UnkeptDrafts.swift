package import Forms
package import Replication

/// Where a draft stands: a question of an inspection or of one of its rows.
package struct DraftPlace: Hashable, Sendable {
    package var inspection: RecordID
    package var key: AnswerKey

    package init(inspection: RecordID, _ key: AnswerKey) {
        self.inspection = inspection
        self.key = key
    }
}

/// Drafts that the disk did not take, such as a full one. They are tried again until it does.
package struct UnkeptDrafts: Equatable, Sendable {
    /// Milliseconds until the next try.
    static let pause: Int64 = 5_000

    private var texts: [DraftPlace: String] = [:]

    package var isEmpty: Bool { texts.isEmpty }
    /// Uptime of the next try; nil while none waits, or one is on its way.
    package private(set) var due: Int64?

    package init() {}

    mutating func keep(_ text: String, at place: DraftPlace, now: Int64) {
        texts[place] = text
        due = now + Self.pause
    }

    /// It is on the disk, or something newer has taken its place.
    mutating func remove(_ place: DraftPlace) {
        texts[place] = nil
        if texts.isEmpty { due = nil }
    }

    mutating func removeAll() { self = UnkeptDrafts() }

    /// The tries that are due; with nil all of them, because the process may end.
    mutating func tries(dueBy limit: Int64?) -> [Effect] {
        if let limit {
            guard let due, due <= limit else { return [] }
        }
        due = nil
        return texts.sorted { $0.key.key.path < $1.key.key.path }.map { place, text in
            .draft(place.inspection, place.key, text: text)
        }
    }
}
