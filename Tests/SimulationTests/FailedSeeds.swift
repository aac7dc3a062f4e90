import Testing

/// A seed that once showed a fault of the product: it runs for ever.
struct FailedSeed: Sendable, CustomTestStringConvertible {
    var number: UInt64
    /// What was wrong.
    var story: String
    /// Further options of the run that failed.
    var words: [String] = []

    var testDescription: String { "\(number): \(story)" }
}

enum FailedSeeds {
    static let all: [FailedSeed] = [
        FailedSeed(number: 170, story: "a late decision gave up what the inspector had to decide"),
        FailedSeed(number: 80, story: "a tombstone back in scope went with the last work on it"),
        FailedSeed(number: 117, story: "an INSERT taken and out of scope kept later edits waiting"),
        FailedSeed(number: 12, story: "an INSERT in review was taken for made by its device"),
        FailedSeed(number: 3, story: "edits of an INSERT let go were held when the site was back"),
        FailedSeed(number: 278, story: "a record begun without a value was applied to nothing"),
        FailedSeed(number: 301, story: "settled beside a conflict, out of scope: an older value"),
        FailedSeed(number: 587, story: "a record let go before the review was heard of stayed"),
        FailedSeed(
            number: 1220, story: "an older word of a device's own came back over a later one",
            words: ["--incidents"]),
        FailedSeed(
            number: 1282, story: "what was cleared came back after a restore",
            words: ["--incidents"]),
        FailedSeed(
            number: 1434, story: "what was out of reach stayed in a database made anew",
            words: ["--incidents"]),
        FailedSeed(
            number: 32085, story: "a restoration knew of an older deletion than was shown"),
        FailedSeed(
            number: 21019, story: "a database made anew was taken for a copy of its device",
            words: ["--incidents"]),
        FailedSeed(
            number: 21039, story: "a batch that a cycle before had sent was not told of",
            words: ["--incidents"]),
        FailedSeed(
            number: 51025, story: "what waited or lost was told as applied, out of scope",
            words: ["--incidents"]),
        FailedSeed(
            number: 7_340_053, story: "copies of what a supervisor had let go after a restore",
            words: ["--incidents"]),
        FailedSeed(
            number: 9_000_020, story: "what a copy had sent stayed when its site had gone",
            words: ["--incidents"]),
        FailedSeed(
            number: 9_500_115, story: "a change of a record that a restore lost waited for ever",
            words: ["--incidents"]),
        FailedSeed(
            number: 114, story: "a part in review went behind what was entered later",
            words: ["--fault", "server-restore"]),
    ]
}
