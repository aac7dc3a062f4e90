internal import FieldApp
internal import Foundation
internal import Vault

/// What is read of the settings, and what is told of them, is never more than a person can have meant.
extension ConfigFile {
    /// Some hundred keys need a tenth of it.
    static let mostBytes = 64 << 10
    private static let mostTold = 20

    /// Why the file gives no text.
    struct Unreadable: Error {
        let reason: String
        let advice: String
    }

    /// - Returns: nil where there is no file.
    static func text(at path: String) throws(Unreadable) -> String? {
        let bytes: [UInt8]?
        do throws(VaultError) {
            bytes = try SettingsFile.read(path, limit: mostBytes + 1)
        } catch {
            throw Unreadable(
                reason: "\(path) cannot be read as a file",
                advice: "make it one that you may read, or take it away")
        }
        guard let bytes else { return nil }
        guard bytes.count <= mostBytes else {
            throw Unreadable(
                reason: "\(path) is longer than \(mostBytes >> 10) KiB",
                advice: "take out what no setting needs")
        }
        guard let text = String(bytes: bytes, encoding: .utf8) else {
            throw Unreadable(
                reason: "\(path) cannot be read as text", advice: "write it anew as UTF-8")
        }
        return text
    }

    /// The first of what is wrong, and how much more there is.
    var told: [String] {
        let more = troubles.count - Self.mostTold
        return troubles.prefix(Self.mostTold).map { $0.told() }
            + (more > 0 ? ["\(Self.name): and \(more) more"] : [])
    }

    /// For a place that has room for one; nil where nothing is wrong.
    var notice: String? {
        let more = troubles.count - 1
        return troubles.first.map { $0.told(more > 0 ? "(and \(more) more: walkdown doctor)" : "") }
    }

    /// A word of the file, as much as a sentence has room for.
    static func quoted(_ text: String) -> String {
        let most = 40
        return text.count > most ? "'\(text.prefix(most))...'" : "'\(text)'"
    }
}
