internal import Coding
internal import Crypto

/// The content of `vault.json`. Each slot carries a checksum of everything in it, so that a file
/// with a changed byte is known for damaged and not taken for a wrong PIN. The checksum is of
/// public values and says nothing about PIN or key. It is also of the version numbers, so that a changed
/// one is not taken for a newer program's; every later layout has to do the same.
struct VaultDocument: Equatable {
    static let version: Int64 = 1
    private static let pinKind = "pin"

    var deviceId: String
    var slot: KeySlot
    var generation: Int64 { slot.generation }

    func serialized() -> [UInt8] {
        var slot: [String: JSON] = [
            "kind": .string(Self.pinKind),
            "version": .integer(self.slot.version),
            "argon2id": [
                "passes": .integer(Int64(self.slot.cost.passes)),
                "memory": .integer(Int64(self.slot.cost.memory)),
                "salt": .string(Base64.encode(self.slot.salt)),
            ],
            "nonce": .string(Base64.encode(self.slot.box.nonce)),
            "ciphertext": .string(Base64.encode(self.slot.box.ciphertext)),
            "checksum": .string(Hexadecimal.encode(checksum)),
        ]
        if generation > 0 { slot["generation"] = .integer(generation) }
        let document: JSON = [
            "version": .integer(Self.version), "deviceId": .string(deviceId),
            "slots": [.object(slot)],
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
            self = try Self.read(JSON.parse(bytes))
        } catch let error as VaultError {
            throw error
        } catch let error as CodingError {
            throw .damaged(error.description)
        } catch {
            throw .damaged("a key slot is unusable")
        }
    }

    private static let changedVersion = VaultError.damaged(
        "a version number is not the one that was written")

    /// What does not fit a layout of this program, and says that it is of a later one, is not for this
    /// program to judge.
    private static func read(_ json: JSON) throws -> VaultDocument {
        let version = try json.integer("version")
        do {
            return try read(json, version)
        } catch {
            guard version > Self.version, error as? VaultError != changedVersion else {
                throw error
            }
            throw VaultError.unknownVersion(version)
        }
    }

    private static func read(_ json: JSON, _ version: Int64) throws -> VaultDocument {
        let slots = try json.array("slots") { slot throws(CodingError) in slot }
        guard let slot = try slots.first(where: { try $0.string("kind") == pinKind })
        else { throw VaultError.damaged("no key slot for a PIN") }
        let slotVersion = try slot.integer("version")
        let document: VaultDocument
        do {
            document = try checked(slot, deviceId: json.string("deviceId"))
        } catch {
            guard slotVersion > KeySlot.newestVersion else { throw error }
            throw VaultError.unknownVersion(slotVersion)
        }
        guard version == Self.version, slotVersion == document.slot.version else {
            throw changedVersion
        }
        return document
    }

    private static func checked(_ slot: JSON, deviceId: String) throws -> VaultDocument {
        let document = VaultDocument(deviceId: deviceId, slot: try self.slot(from: slot))
        guard Hexadecimal.encode(document.checksum) == (try slot.string("checksum")) else {
            throw VaultError.damaged("the checksum of the key slot does not fit")
        }
        return document
    }

    private static func slot(from json: JSON) throws -> KeySlot {
        let argon = try json.object("argon2id")
        let cost = Argon2id.Cost(
            passes: Int(try argon.integer("passes")), memory: Int(try argon.integer("memory")))
        let salt = try Base64.decode(argon.string("salt"))
        let generation = try json.optionalInteger("generation")
        let box = try SealedBox(
            nonce: Base64.decode(json.string("nonce")),
            ciphertext: Base64.decode(json.string("ciphertext")))
        let boxByteCount = KeySlot.dataKeyByteCount + SealedBox.tagByteCount
        guard cost.isPlausible, salt.count == Argon2id.saltByteCount,
            box.ciphertext.count == boxByteCount, generation.map({ $0 > 0 }) ?? true
        else { throw VaultError.damaged("a key slot has impossible parameters") }
        return KeySlot(generation: generation ?? 0, cost: cost, salt: salt, box: box)
    }

    private var checksum: [UInt8] {
        var parts = [
            "\(Self.version)", deviceId, "\(slot.version)", "\(slot.cost.passes)",
            "\(slot.cost.memory)", Base64.encode(slot.salt), Base64.encode(slot.box.nonce),
            Base64.encode(slot.box.ciphertext),
        ]
        if generation > 0 { parts.append("\(generation)") }
        return SHA256.hash(parts.flatMap { Array("\($0.utf8.count):\($0)".utf8) })
    }
}
