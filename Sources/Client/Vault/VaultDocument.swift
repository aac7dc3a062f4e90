internal import Coding
internal import Crypto

/// The content of `vault.json`. Each slot carries a checksum of everything in it, so that a file
/// with a changed byte is known for damaged and not taken for a wrong PIN. The checksum is of
/// public values and says nothing about PIN or key.
struct VaultDocument: Equatable {
    static let version: Int64 = 1
    private static let pinKind = "pin"

    var deviceId: String
    var slot: KeySlot

    func serialized() -> [UInt8] {
        let slot: JSON = [
            "kind": .string(Self.pinKind),
            "version": .integer(KeySlot.version),
            "argon2id": [
                "passes": .integer(Int64(self.slot.cost.passes)),
                "memory": .integer(Int64(self.slot.cost.memory)),
                "salt": .string(Base64.encode(self.slot.salt)),
            ],
            "nonce": .string(Base64.encode(self.slot.box.nonce)),
            "ciphertext": .string(Base64.encode(self.slot.box.ciphertext)),
            "checksum": .string(Hexadecimal.encode(checksum)),
        ]
        let document: JSON = [
            "version": .integer(Self.version), "deviceId": .string(deviceId), "slots": [slot],
        ]
        return document.serialized(pretty: true) + [UInt8(ascii: "\n")]
    }

    init(deviceId: String, slot: KeySlot) {
        self.deviceId = deviceId
        self.slot = slot
    }

    /// Slots of kinds that this version does not know are passed over.
    init(parsing bytes: [UInt8]) throws(VaultError) {
        do {
            let json = try JSON.parse(bytes)
            try Self.check(version: json.integer("version"), known: Self.version)
            let slots = try json.array("slots") { slot throws(CodingError) in slot }
            guard let slot = try slots.first(where: { try $0.string("kind") == Self.pinKind })
            else { throw VaultError.damaged("no key slot for a PIN") }
            try Self.check(version: slot.integer("version"), known: KeySlot.version)
            self.init(deviceId: try json.string("deviceId"), slot: try Self.slot(from: slot))
            guard Hexadecimal.encode(checksum) == (try slot.string("checksum")) else {
                throw VaultError.damaged("the checksum of the key slot does not fit")
            }
        } catch let error as VaultError {
            throw error
        } catch let error as CodingError {
            throw .damaged(error.description)
        } catch {
            throw .damaged("a key slot is unusable")
        }
    }

    private static func check(version: Int64, known: Int64) throws {
        guard version >= 1 else { throw VaultError.damaged("version \(version)") }
        guard version <= known else { throw VaultError.unknownVersion(version) }
    }

    private static func slot(from json: JSON) throws -> KeySlot {
        let argon = try json.object("argon2id")
        let cost = Argon2id.Cost(
            passes: Int(try argon.integer("passes")), memory: Int(try argon.integer("memory")))
        let salt = try Base64.decode(argon.string("salt"))
        let box = try SealedBox(
            nonce: Base64.decode(json.string("nonce")),
            ciphertext: Base64.decode(json.string("ciphertext")))
        let boxByteCount = KeySlot.dataKeyByteCount + SealedBox.tagByteCount
        guard cost.isPlausible, salt.count == Argon2id.saltByteCount,
            box.ciphertext.count == boxByteCount
        else { throw VaultError.damaged("a key slot has impossible parameters") }
        return KeySlot(cost: cost, salt: salt, box: box)
    }

    private var checksum: [UInt8] {
        let parts = [
            "\(Self.version)", deviceId, "\(KeySlot.version)", "\(slot.cost.passes)",
            "\(slot.cost.memory)", Base64.encode(slot.salt), Base64.encode(slot.box.nonce),
            Base64.encode(slot.box.ciphertext),
        ]
        return SHA256.hash(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }
}
