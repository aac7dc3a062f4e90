internal import Arguments
internal import Coding
internal import Crypto
internal import Foundation
internal import LocalStore
internal import Replication
internal import Sync
internal import Vault

enum EnrollCommand {
    private static let name = Option(
        "name", value: "NAME",
        help: "What the device is called where its code names none; the host's name by default.")
    private static let authority = Option(
        "ca", value: "FILE",
        help: "The server's certificate authority (PEM), instead of fetching it from the server.")

    private static let again = Option(
        "again",
        help: "Enrol a device that its server does not know any more; nothing on it is lost.")

    static let entry = Entry(
        name: "enroll", summary: "Enrol this device and set its PIN.",
        discussion: """
            The server's authority is compared with the fingerprint inside the code before \
            anything secret is sent. Ends with a first synchronisation. With --again, for a \
            device that the server refuses with 401 because it was restored from an older \
            backup: the PIN stays, and what waits goes under a new device and node id.
            """,
        positionals: [
            Positional("URL", help: "https://HOST:PORT; http:// only for a loopback address."),
            Positional("CODE", help: "The one-time code, from 'walkdownd device code'."),
        ],
        options: [name, authority, again]
    ) { run in
        if run.invocation.has(again.name) { return try enrolAgain(run) }
        let home = try run.home()
        try requireUnused(home)
        let plan = try Plan(run)
        let lease = try HomeLease.acquire(home)
        let pin = try run.readNewPIN()
        defer { pin.erase() }
        let (store, given) = try enrol(lease, pin, plan, run)
        let report = try run.closing(store) { try run.synchronise($0) }
        return try tell(report, given, run)
    }

    /// Anything that stands in the home already, also a damaged key, is left alone.
    private static func requireUnused(_ home: Home) throws {
        do {
            _ = try SealedVault.load(home)
        } catch {
            // One catch for all: Swift 6.0.3 crashes where a typed error is caught in part.
            guard case .notEnrolled = error else { throw error }
            return
        }
        throw VaultError.alreadyEnrolled
    }

    /// Everything that can fail on this device (memory for the key, room on the disk) comes before
    /// the code is spent; what comes after it overwrites what stands already.
    private static func enrol(
        _ lease: HomeLease, _ pin: SecretBytes, _ plan: Plan, _ run: CommandRun
    ) throws -> (DeviceStore, Given) {
        let vault = try NewVault.begin(lease: lease, pin: pin, cost: run.surroundings.pinCost)
        defer { vault.dataKey.erase() }
        var made: DeviceStore?
        do {
            let store = try DeviceStore.create(
                home: vault.home, key: vault.dataKey,
                device: DeviceIdentity(deviceID: NewVault.unknownDevice, node: plan.node),
                lease: lease, sources: run.storeSources)
            made = store
            let given = try plan.enrol()
            try keep(given, store, vault)
            return (store, given)
        } catch {
            // What cannot be closed or removed now is removed by the next try to enrol.
            try? made?.close()
            try? vault.abandon()
            throw error
        }
    }

    /// What enrolment gave, and then the vault's last name: only now is the device enrolled.
    private static func keep(
        _ given: Given, _ store: DeviceStore, _ vault: NewVault
    ) throws {
        do {
            try vault.bind(to: given.deviceID)
            try store.store(given.enrolment)
            try vault.commit()
        } catch {
            let failure = Walkdown.renderer.failure(for: error)
            throw Failure(
                failure.exitCode, failure.sentence,
                advice: "The code is spent: ask for a new one, and have \(given.deviceID) revoked.")
        }
    }

    static func tell(
        _ report: CycleReport, _ given: Given, _ run: CommandRun
    ) throws -> ExitCode {
        try run.emit([
            "deviceId": .string(given.deviceID), "name": .string(given.name),
            "team": .string(given.enrolment.team), "pulled": .integer(Int64(report.pulled)),
            "complete": .bool(report.isComplete),
        ]) {
            terminalSafe("enrolled as \(given.name) in team \(given.enrolment.team)") + "\n"
                + "pulled  \(report.pulled)\n"
        }
        guard let failure = report.failure else { return .done }
        run.say(
            Failure(
                failure.exitCode,
                "enrolled, but the first synchronisation did not finish: " + failure.sentence,
                advice: failure.advice))
        return failure.exitCode
    }

    /// What the server answered.
    struct Given {
        let enrolment: LocalStore.Enrolment
        /// What the server calls this device: the name that its code was made with decides.
        let name: String

        var deviceID: String { enrolment.deviceID }
    }

    /// What the command line said, checked before anything is made.
    struct Plan {
        let address: ServerAddress
        let code: EnrollmentCode
        let name: String
        let authority: [UInt8]?
        /// What the device calls itself in stamps; the server's name for it comes with the answer.
        let node = NodeID(UUIDText.version4(random: Crypto.random(16)))
        let key = Ed25519.PrivateKey()

        init(_ run: CommandRun) throws {
            address = try ServerAddress(parsing: run.invocation.operand("URL"))
            do {
                code = try EnrollmentCode(parsing: run.invocation.operand("CODE"))
            } catch {
                throw Failure(
                    .usage, "this is not an enrolment code",
                    advice: "Thirteen groups of four letters and digits; check for a missing one.")
            }
            name = run.invocation.value(EnrollCommand.name.name) ?? ProcessInfo.processInfo.hostName
            authority = try run.invocation.value(EnrollCommand.authority.name).map { [code] in
                try Self.authority(in: $0, for: code)
            }
        }

        /// A wrong file is this device's own affair: the server has not been asked yet.
        private static func authority(
            in path: String, for code: EnrollmentCode
        ) throws -> [UInt8] {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw Failure(.failed, "cannot read \(path)")
            }
            switch Sync.Enrolment.judge(authority: [UInt8](data), by: code) {
            case .named: return [UInt8](data)
            case .notOne:
                throw Failure(
                    .failed, "\(path) is not one certificate (PEM)",
                    advice: "The server's administrator has it as ca.pem.")
            case .another:
                throw Failure(
                    .failed, "the certificate in \(path) is not the one that the code names",
                    advice: "Code and certificate have to be of the same server.")
            }
        }

        /// Spends the code.
        ///
        /// - Parameter former: the team of a device that enrols again.
        func enrol(of former: FormerTeam? = nil) throws -> Given {
            let response = try Sync.Enrolment(at: address, with: code).enrol(
                name: name, node: node, publicKey: key.publicKey, of: former, authority: authority)
            let enrolment = LocalStore.Enrolment(
                serverURL: address.text, deviceID: response.deviceId, token: response.token,
                team: response.team, teamID: response.teamId, caPem: response.caPem,
                pins: response.pins,
                deviceKey: key.seed.withBytes { Base64.encode(Array($0)) })
            return Given(enrolment: enrolment, name: response.deviceName ?? name)
        }
    }
}
