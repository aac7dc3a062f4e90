import Arguments
import HTTP
import Replication

/// The certificates of a data folder.
enum Authority {
    static func der(in folder: DataFolder) throws -> [UInt8] {
        try Certificate(pem: SmallFile.readText(folder.authority)).der()
    }

    static func identity(in folder: DataFolder) throws -> Gateway.Identity {
        let authority = try SmallFile.readText(folder.authority)
        let pins = try SmallFile.readText(folder.pins).split(separator: "\n").map(String.init)
        return Gateway.Identity(
            authority: authority,
            fingerprint: EnrollmentCode.fingerprint(of: try Certificate(pem: authority).der()),
            pins: pins)
    }

    static func serverIdentity(in folder: DataFolder) throws -> ServerIdentity {
        ServerIdentity(
            certificate: try SmallFile.readText(folder.certificate),
            key: try SmallFile.readText(folder.key))
    }

    /// Writes authority, server certificate, keys and pins into a new folder.
    ///
    /// - Parameter now: seconds since 1970.
    static func make(in folder: DataFolder, hosts: [String], now: Int64) throws {
        let authorityKey = try PrivateKey()
        let authority = try Certificate(
            authority: "Walkdown authority", key: authorityKey, now: now)
        let key = try PrivateKey()
        let certificate = try Certificate(
            server: hosts, key: key, issuer: authority, issuerKey: authorityKey, now: now)
        let backup = try PrivateKey()
        try SmallFile.create(folder.authorityKey, authorityKey.pem())
        try SmallFile.create(folder.authority, authority.pem())
        try SmallFile.create(folder.key, key.pem())
        try SmallFile.create(folder.certificate, certificate.pem())
        try SmallFile.create(folder.backupKey, backup.pem())
        try SmallFile.create(folder.pins, "\(key.pin())\n\(backup.pin())\n")
    }
}
