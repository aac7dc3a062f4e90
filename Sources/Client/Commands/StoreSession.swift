internal import Arguments
internal import Crypto
internal import Foundation
internal import LocalStore
internal import Replication
internal import Vault

extension CommandRun {
    /// Unlocks the home and works with its store; keys leave memory when the work is over, however
    /// it ends.
    /// - Parameter pin: where the PIN comes from; nil for the usual places.
    func withStore<Result>(
        for access: Access, pin: (() throws -> SecretBytes)? = nil,
        _ work: (DeviceStore) throws -> Result
    ) throws -> Result {
        let unlocked = try unlock(for: access, pin: pin)
        defer { unlocked.key.erase() }
        let store = try DeviceStore.open(
            home: unlocked.home, key: unlocked.key,
            access: unlocked.lease.map { .writer($0) } ?? .reader, sources: storeSources)
        return try closing(store, after: work)
    }

    /// A store that does not close says that something is still using it: an error of its own,
    /// unless the work had a worse one.
    func closing<Result>(
        _ store: DeviceStore, after work: (DeviceStore) throws -> Result
    ) throws -> Result {
        let result: Result
        do {
            result = try work(store)
        } catch {
            // The error of the work is the one to tell; the process ends now and closes the file.
            try? store.close()
            throw error
        }
        try store.close()
        return result
    }

    var storeSources: StoreSources {
        StoreSources(
            now: surroundings.now,
            newID: { UUIDText.version4(random: Crypto.random(16)) }, zone: surroundings.zone)
    }
}

/// Finding a record by the beginning of its id, as a person types it.
enum ShortID {
    /// The one id that is `text` or begins with it.
    static func find<ID: TextIdentifier>(
        _ text: String, among ids: [ID], called noun: String
    ) throws -> ID {
        if let exact = ids.first(where: { $0.rawValue == text }) { return exact }
        let wanted = text.lowercased()
        let fitting = ids.filter { !wanted.isEmpty && $0.rawValue.hasPrefix(wanted) }
        guard let first = fitting.first else {
            throw Failure(.failed, "there is no \(noun) \(text) on this device")
        }
        guard fitting.count == 1 else {
            throw Failure(
                .failed, "\(fitting.count) ids begin with \(text)",
                advice: fitting.prefix(10).map(\.rawValue).joined(separator: "\n"))
        }
        return first
    }
}
