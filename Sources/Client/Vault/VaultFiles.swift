internal import Glibc

/// `vault.json` and its copy as they stand, and which of the two decides.
struct VaultFiles {
    /// What one of them is.
    enum Content {
        /// - Parameter isExact: whether it is so to the byte.
        case whole(VaultDocument, isExact: Bool)
        case missing
        case unusable(VaultError)

        var document: VaultDocument? {
            guard case .whole(let document, _) = self else { return nil }
            return document
        }

        /// A newer program's: neither read nor overwritten.
        fileprivate var newerVersion: VaultError? {
            guard case .unusable(let error) = self, case .unknownVersion = error else { return nil }
            return error
        }
    }

    private static let largestFile = 64 << 10

    let home: Home
    let first: Content
    let copy: Content

    init(_ home: Home) {
        self.home = home
        first = Self.content(of: home.vault)
        copy = Self.content(of: home.vaultCopy)
    }

    private static func content(of path: String) -> Content {
        do {
            let file = try Descriptor(path, O_RDONLY)
            let bytes = try file.readAll(limit: largestFile + 1)
            guard bytes.count <= largestFile else {
                return .unusable(.damaged("the file is too large"))
            }
            let document = try VaultDocument(parsing: bytes)
            return .whole(document, isExact: document.serialized() == bytes)
        } catch {
            return DurableFile.exists(path) ? .unusable(error) : .missing
        }
    }

    /// Whether an enrolment was begun here and not finished. A later slot that is staged is a new PIN that
    /// a crash has cut short: what stands beside it was in use.
    static func isBegun(in home: Home) -> Bool {
        switch content(of: DurableFile.stagingPath(of: home.vault)) {
        case .missing: false
        case .whole(let document, _): document.generation <= 1
        case .unusable: true
        }
    }

    /// The vault of the file that decides: the one that is whole; of two of one device, the one of the later
    /// generation. Where neither is later, and where they are of two devices, `vault.json`.
    ///
    /// - Throws: why neither can be read, or that a newer program has written one of them: what that has
    ///   may be newer than what can be read here.
    func vault() throws(VaultError) -> SealedVault {
        if let newer = first.newerVersion ?? copy.newerVersion { throw newer }
        switch (first.document, copy.document) {
        case (let document?, nil): return vault(document, isCopy: false)
        case (nil, let document?): return vault(document, isCopy: true)
        case (let document?, let other?):
            guard other.deviceId == document.deviceId else {
                return vault(document, isCopy: false, stranger: other)
            }
            let isCopyNewer = other.generation > document.generation
            return vault(isCopyNewer ? other : document, isCopy: isCopyNewer)
        case (nil, nil): throw trouble
        }
    }

    private func vault(
        _ document: VaultDocument, isCopy: Bool, stranger: VaultDocument? = nil
    ) -> SealedVault {
        SealedVault(
            document, of: home, isFromCopy: isCopy,
            other: Self.counterpart(of: document, in: isCopy ? first : copy), stranger: stranger)
    }

    /// Damage says more than a name that is missing.
    private var trouble: VaultError {
        for content in [first, copy] {
            if case .unusable(let error) = content { return error }
        }
        return .system(operation: "open", path: home.vault, code: ENOENT)
    }

    static func counterpart(
        of document: VaultDocument, in content: Content
    ) -> SealedVault.Counterpart {
        switch content {
        case .missing: .missing
        case .unusable(let error): .unusable(error)
        case .whole(let other, let isExact):
            if other == document {
                isExact ? .equal : .unusable(.damaged("it is not as it was written"))
            } else if other.deviceId != document.deviceId {
                .ofDevice(other.deviceId)
            } else if other.generation < document.generation {
                .older
            } else {
                .unlike
            }
        }
    }
}
