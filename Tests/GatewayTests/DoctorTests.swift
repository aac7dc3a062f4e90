import Coding
import HTTP
import ServerStore
import TestSupport
import Testing

@testable import Gateway

#if canImport(Glibc)
    import Glibc
#endif

@Suite("walkdownd doctor", .timeLimit(.minutes(10)))
struct DoctorTests {
    private func findings(_ office: Office) throws -> [String] {
        let reply = office.call("doctor", "--json")
        #expect(reply.status == 1, "\(reply.output)\(reply.messages)")
        let document = try JSON.parse(Array(reply.output.utf8))
        #expect(try document.bool("ok") == false)
        return try document.array("findings") { value throws(CodingError) in
            try value.asString()
        }
    }

    private func replace(_ path: String, _ text: String) throws {
        #expect(unlink(path) == 0)
        try SmallFile.create(path, text)
    }

    @Test("names each file of secrets that others can read, and of trust that they can change")
    func modes() throws {
        let office = try Office()
        #expect(office.call("doctor").status == 0, "and the lock's file is made")
        let folder = office.folder
        let secret = [
            folder.authorityKey, folder.key, folder.database, folder.administrator,
            folder.backupKey, folder.lock,
        ]
        for path in secret { #expect(chmod(path, 0o640) == 0) }
        for path in [folder.authority, folder.pins] { #expect(chmod(path, 0o664) == 0) }
        #expect(chmod(folder.certificate, 0o644) == 0)
        let found = try findings(office)
        for path in secret {
            #expect(found.contains("others can read \(path); chmod go-rwx makes it private"))
        }
        for path in [folder.authority, folder.pins] {
            #expect(found.contains("others can change \(path); chmod go-w keeps it as it is"))
        }
        #expect(!found.contains { $0.contains(folder.certificate) })
    }

    @Test("looks at the files beside the database too, where a server runs")
    func beside() throws {
        let office = try Office()
        try office.serve { store in
            _ = try store.addTeam(named: "north")
            let path = office.folder.database + "-wal"
            #expect(chmod(path, 0o644) == 0)
            #expect(try findings(office).contains { $0.contains(path) })
        }
    }

    @Test(
        "says what is missing instead of stopping at it", arguments: ["ca.pem", "server-key.pem"])
    func missing(name: String) throws {
        let office = try Office()
        #expect(unlink(office.folder.file(name)) == 0)
        #expect(try findings(office).contains("\(office.folder.file(name)) is missing"))
    }

    @Test("a certificate of another key, or of another authority, is found before serve needs it")
    func foreign() throws {
        let (office, other) = (try Office(), try Office())
        try replace(
            office.folder.certificate, SmallFile.readText(other.folder.certificate))
        let found = try findings(office)
        #expect(found.contains { $0.contains("another key") })
        #expect(found.contains { $0.contains("not signed by ca.pem") })
        try replace(office.folder.key, SmallFile.readText(other.folder.key))
        #expect(try findings(office).contains { $0.contains("not the key in 'pins'") })
        try replace(office.folder.pins, "sha256//one\n")
        #expect(try findings(office).contains { $0.contains("no backup key") })
        try replace(office.folder.key, "no key")
        #expect(try findings(office).contains { $0.contains("is of no use") })
    }

    @Test("a certificate that ends is told in time, and one that ended is a fault")
    func expiry() throws {
        let office = try Office()
        let year: Int64 = 365 * 86_400
        let now = SystemTime.milliseconds() / 1000
        let authorityKey = try PrivateKey(pem: SmallFile.readText(office.folder.authorityKey))
        let authority = try Certificate(pem: SmallFile.readText(office.folder.authority))
        let key = try PrivateKey(pem: SmallFile.readText(office.folder.key))
        // A server's certificate holds for ten years from its making.
        func age(made: Int64) throws {
            let certificate = try Certificate(
                server: ["localhost"], key: key, issuer: authority, issuerKey: authorityKey,
                now: made)
            try replace(office.folder.certificate, certificate.pem())
        }
        try age(made: now - 10 * year + 10 * 86_400 + 3600)
        let soon = office.call("doctor")
        #expect(soon.status == 0)
        #expect(soon.output.contains("server.pem ends in 10 days"))
        try age(made: now - 10 * year - 3 * 86_400 - 3600)
        #expect(try findings(office).contains { $0.contains("server.pem ended 3 days ago") })
        try age(made: now + 3 * year)
        #expect(try findings(office).contains { $0.contains("not valid yet") })
    }
}
