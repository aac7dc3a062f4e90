internal import Synchronization

/// The sentences of the application in one language.
package struct Phrasebook: Sendable {
    /// Its code, such as `es`.
    package let language: String
    private let source: Source

    private enum Source: Sendable {
        /// As it stands in the program.
        case english
        case table([String: String])
        case stretched
    }

    package static let english = Phrasebook(language: "en", source: .english)

    /// For looking whether a screen has room for any language, and whether each sentence on it comes from here:
    /// letters with accents, wide ones behind them, and more than half as long again. Nothing in it is ASCII
    /// but what is a key or a number.
    package static let stretched = Phrasebook(language: "pseudo", source: .stretched)

    private init(language: String, source: Source) {
        self.language = language
        self.source = source
    }

    /// - Parameter sentences: by their English.
    package init(language: String, sentences: [String: String]) {
        self.init(language: language, source: .table(sentences))
    }

    /// What has no translation is told in English: better than nothing.
    func sentence(for key: String) -> String {
        switch source {
        case .english: key
        case .table(let sentences): sentences[key] ?? key
        case .stretched: Stretching.stretched(key)
        }
    }

    // MARK: In force

    /// For one piece of work, such as drawing a frame; nil for that of the process.
    @TaskLocal private static var ofThisWork: Phrasebook?

    private static let ofTheProcess = Mutex(Phrasebook.english)

    package static var inForce: Phrasebook { ofThisWork ?? ofTheProcess.withLock { $0 } }

    /// From now on, for all that sets none of its own.
    package static func adopt(_ book: Phrasebook) { ofTheProcess.withLock { $0 = book } }

    package func whileInForce<Result>(_ work: () throws -> Result) rethrows -> Result {
        try Phrasebook.$ofThisWork.withValue(self, operation: work)
    }
}
