package import Crypto

/// A home's locked key. The data key opens the database; a PIN opens the data key.
package struct SealedVault: Sendable {
    package let home: Home
    let document: VaultDocument
    /// Whether this was read from `vault.copy.json`, because `vault.json` is not whole, is older or is
    /// another device's.
    package let isFromCopy: Bool
    /// How the other one of the two files stands to this.
    package let other: Counterpart
    /// What the other one says where it is another device's.
    private let stranger: VaultDocument?

    /// Of the two files of a vault, the one that it was not read from.
    package enum Counterpart: Equatable, Sendable {
        case equal, missing
        case unusable(VaultError)
        /// Whole, of the same device and an earlier PIN: it opens nothing any more.
        case older
        /// Whole and otherwise, of the same device, and neither says that it is the newer one: only
        /// programs that counted no generations wrote such. It is left alone until the next PIN takes the
        /// place of both.
        case unlike
        /// Whole, and of another device: neither newer nor older than this, and never overwritten.
        case ofDevice(String)
    }

    /// Reads `vault.json` and its copy, of which the newer whole one decides. Throws `.notEnrolled`,
    /// `.keyMissing`, `.damaged`, `.unknownVersion`.
    package static func load(_ home: Home) throws(VaultError) -> SealedVault {
        guard home.isEnrolled else {
            guard let leftover = try home.leftover() else { throw .notEnrolled }
            throw .keyMissing(database: leftover)
        }
        return try VaultFiles(home).vault()
    }

    /// - Parameter stranger: what the other file says where it is another device's.
    init(
        _ document: VaultDocument, of home: Home, isFromCopy: Bool, other: Counterpart,
        stranger: VaultDocument? = nil
    ) {
        self.home = home
        self.document = document
        self.isFromCopy = isFromCopy
        self.other = other
        self.stranger = stranger
    }

    package var deviceId: String { document.deviceId }

    /// What a guess costs, for `doctor`.
    package var cost: Argon2id.Cost { document.slot.cost }

    /// The file that this was read from.
    package var path: String { isFromCopy ? home.vaultCopy : home.vault }

    /// Seconds until a PIN may be tried; 0 when it may be now.
    package func secondsToWait(
        now: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current
    ) throws(VaultError) -> Int {
        try TryCounter.open(in: home, now: now).secondsToWait()
    }

    /// The data key alone, as `open` finds it where nothing is asked about it.
    package func unlock(
        _ pin: SecretBytes,
        now: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current
    ) throws(VaultError) -> SecretBytes {
        try open(pin, beside: .silent, now: now).key
    }

    /// The slot that `pin` opens, with the data key. The try is counted on disk before the PIN is checked,
    /// and only the box's tag decides. Takes about a second. Where the two files are of two devices, both
    /// are tried, and the one counts whose key opens what stands in the home.
    ///
    /// Throws `.delayed` without having tried, `.wrongPIN` or `.wrongPINOfOne`, `.otherKey` where the PIN
    /// is right and the key another home's, or what failed in the system; those two are never counted as
    /// a try.
    package func open(
        _ pin: SecretBytes, beside witness: KeyWitness,
        now: @escaping @Sendable () throws(VaultError) -> BootInstant = BootInstant.current
    ) throws(VaultError) -> OpenedVault {
        var counter = try TryCounter.open(in: home, now: now)
        let wait = try counter.secondsToWait()
        guard wait == 0 else { throw .delayed(seconds: wait) }
        var boxes = ClosedBoxes()
        defer { boxes.erase() }
        for vault in candidates { try boxes.add(vault, pin) }
        try counter.countTry()
        switch try boxes.open(beside: witness) {
        case .opened(let opened):
            try counter.reset()
            return opened
        case .otherKey:
            try counter.takeBack()
            throw .otherKey(vault: path, deviceId: deviceId)
        case .refused:
            let wait = try counter.secondsToWait()
            throw mayBeOlder
                ? .wrongPINOfOne(vault: path, tries: counter.tries, wait: wait)
                : .wrongPIN(tries: counter.tries, wait: wait)
        }
    }

    /// Nobody knows whether the other file, which cannot be read, had a newer PIN.
    private var mayBeOlder: Bool {
        switch other {
        case .unusable: true
        case .missing: isFromCopy
        case .equal, .older, .unlike, .ofDevice: false
        }
    }

    private var candidates: [SealedVault] {
        guard let stranger else { return [self] }
        let that = SealedVault(
            stranger, of: home, isFromCopy: !isFromCopy, other: .ofDevice(deviceId),
            stranger: document)
        return [self, that]
    }
}

/// The slots that a PIN is tried on, with the keys that it makes for them: everything that takes long or
/// can fail is done before the try counts.
private struct ClosedBoxes {
    enum Outcome {
        case opened(OpenedVault)
        /// Each opens, for a key that opens nothing here.
        case otherKey
        case refused
    }

    private var boxes: [(vault: SealedVault, key: SecretBytes)] = []

    mutating func add(_ vault: SealedVault, _ pin: SecretBytes) throws(VaultError) {
        let document = vault.document
        boxes.append(
            (vault, try document.slot.wrappingKey(from: pin, deviceId: document.deviceId)))
    }

    func erase() {
        for box in boxes { box.key.erase() }
    }

    func open(beside witness: KeyWitness) throws(VaultError) -> Outcome {
        var doubtful: OpenedVault?
        var isRefused = false
        for (vault, key) in boxes {
            guard
                let dataKey = try vault.document.slot.open(with: key, deviceId: vault.deviceId)
            else {
                isRefused = true
                continue
            }
            let opened = OpenedVault(vault, key: dataKey, fit: witness.fit(dataKey))
            switch opened.fit {
            case .opens where isFormer(opened, witness): isRefused = true
            case .opens: return .opened(opened)
            case .unknown: doubtful = doubtful ?? opened
            case .opensNeither: break
            }
        }
        if let doubtful { return .opened(doubtful) }
        return isRefused ? .refused : .otherKey
    }

    /// Whether it is of a device that this one was before it enrolled anew: the key is the same, and the
    /// slot that has its place stands beside it. A PIN from then opens nothing any more.
    private func isFormer(_ opened: OpenedVault, _ witness: KeyWitness) -> Bool {
        guard boxes.count > 1, let device = witness.deviceId(opened.key) else { return false }
        return device != opened.vault.deviceId
            && boxes.contains { $0.vault.deviceId == device }
    }
}
