import Crypto
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test("begin as zeros and hold what is written")
    func hold() {
        let secret = SecretBytes(count: 4)
        #expect(secret.withBytes { Array($0) } == [0, 0, 0, 0])
        secret.withMutableBytes { $0[2] = 9 }
        #expect(secret.withBytes { Array($0) } == [0, 0, 9, 0])
    }

    @Test("an array that is moved in is emptied")
    func move() {
        var bytes: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(moving: &bytes)
        #expect(bytes.isEmpty)
        #expect(secret.withBytes { Array($0) } == [1, 2, 3])
    }

    @Test("equality looks at the content, not at the object")
    func equality() {
        let one = SecretBytes(copying: [1, 2, 3])
        let same = SecretBytes(copying: [1, 2, 3])
        #expect(one == same)
        #expect(one == one)
        #expect(one != SecretBytes(copying: [1, 2, 4]))
        #expect(one != SecretBytes(copying: [1, 2]))
        #expect(SecretBytes(count: 0) == SecretBytes(count: 0))
    }

    @Test("say nothing of their content when printed or reflected")
    func description() {
        let secret = SecretBytes(copying: Array("tell-nobody".utf8))
        #expect("\(secret)" == "SecretBytes(11)")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("tell"))
    }

    @Test("erase at once, and twice without harm")
    func erase() {
        let secret = SecretBytes.random(count: 32)
        #expect(!secret.isErased)
        secret.erase()
        secret.erase()
        #expect(secret.isErased)
    }

    @Test("are locked in memory under the usual limit")
    func locked() {
        #expect(SecretBytes(count: 32).isLockedInMemory)
    }

    @Test("two random secrets differ")
    func randomness() {
        #expect(SecretBytes.random(count: 32) != SecretBytes.random(count: 32))
        #expect(Crypto.random(16) != Crypto.random(16))
        #expect(Crypto.random(0).isEmpty)
    }
}

extension SecretBytes {
    convenience init(copying bytes: [UInt8]) {
        var copy = bytes
        self.init(moving: &copy)
    }
}
