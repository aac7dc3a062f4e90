internal import Arguments
internal import Coding
internal import Foundation
internal import Phrases

/// In which language the screen speaks. What forms ask is in the languages of the forms.
enum ScreenLanguage: String, CaseIterable {
    case english = "en"
    case spanish = "es"
    /// For looking whether every screen has room for a long language, and bypasses none.
    case stretched = "pseudo"

    /// What its speakers call it.
    var name: String {
        switch self {
        case .english: "English"
        case .spanish: "Español"
        case .stretched: "Pseudo"
        }
    }

    /// What a locale asks for, as setlocale(3) reads it; nil for none that the screen speaks.
    static func wanted(by environment: [String: String]) -> ScreenLanguage? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap { ScreenLanguage(rawValue: String($0.prefix { $0.isLetter })) }
    }

    /// Its sentences.
    /// - Throws: `Failure` where they are not installed, or not to be read.
    func book(environment: [String: String]) throws -> Phrasebook {
        switch self {
        case .english: .english
        case .stretched: .stretched
        case .spanish: try read(environment)
        }
    }

    private func read(_ environment: [String: String]) throws -> Phrasebook {
        guard let resources = ResourceFolder.find(environment: environment) else {
            throw Failure(
                .failed, "the sentences of the language '\(rawValue)' are not installed",
                advice: "WALKDOWN_RESOURCES names the folder that has them under messages.")
        }
        let path = resources.file("messages/\(rawValue).json")
        do {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            guard case .object(let members) = try JSON.parse(Array(bytes)) else {
                throw unreadable(path)
            }
            return Phrasebook(
                language: rawValue,
                sentences: members.compactMapValues { member in
                    guard case .string(let sentence) = member else { return nil }
                    return sentence
                })
        } catch {
            throw unreadable(path)
        }
    }

    private func unreadable(_ path: String) -> Failure {
        Failure(
            .failed, "\(path) cannot be read, so the screen stays in English",
            advice: "It is part of the program: install it anew.")
    }
}
