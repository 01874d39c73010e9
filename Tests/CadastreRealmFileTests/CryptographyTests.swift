@testable import CadastreRealmFile
import Testing

struct CryptographyTests {
  private let message = (0..<5000).map { (index: Int) -> UInt8 in
    UInt8((index * 7 + index / 251) % 256)
  }

  private func hash(_ bytes: [UInt8]) -> String {
    var hash = SHA224()
    bytes.withUnsafeBytes { hash.update($0) }
    return hex(hash.finish())
  }

  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  // FIPS 180-4, and Python's hashlib and hmac for the long message.
  @Test("SHA-224 equals published values")
  func hashes() {
    #expect(hash([]) == "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f")
    #expect(
      hash(Array("abc".utf8)) == "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")
    #expect(hash(message) == "3c5dcf9c6b64fb69f5756c94387208de57ca66994afcfceebbe7c4e5")
  }

  @Test("a message may be hashed in parts of any size", arguments: [1, 7, 63, 64, 65, 200])
  func parts(_ size: Int) {
    var hash = SHA224()
    for start in stride(from: 0, to: message.count, by: size) {
      message[start..<min(start + size, message.count)].withUnsafeBytes { hash.update($0) }
    }
    #expect(hex(hash.finish()) == self.hash(message))
  }

  @Test("the authentication code equals that of Python")
  func authentication() {
    let key = SHA224.AuthenticationKey((0..<32).map { UInt8($0) })
    let code = message.withUnsafeBytes { key.code($0) }
    #expect(hex(code) == "989e746f13c32eb07a45a53ecd9853377cc08fa2d6dd55e9738a036c")
  }

  // FIPS 197, C.3, and the package cryptography of Python for the long message.
  @Test("AES-256 equals published values")
  func decryption() {
    let cipher = AES256(key: (0..<32).map { UInt8($0) })
    let block: [UInt8] = [
      0x8E, 0xA2, 0xB7, 0xCA, 0x51, 0x67, 0x45, 0xBF, 0xEA, 0xFC, 0x49, 0x90, 0x4B, 0x49, 0x60,
      0x89,
    ]
    #expect(
      hex(decrypted(block, cipher, vector: Array(repeating: 0, count: 16)))
        == "00112233445566778899aabbccddeeff")
    let plain = decrypted(
      Array(message.prefix(4096)), cipher, vector: (100..<116).map { UInt8($0) })
    #expect(hash(plain) == "40f07e95f7c11a82eb2c2e7ae64c7bfd064ad84df3e4c7770fed7147")
  }

  private func decrypted(_ source: [UInt8], _ cipher: AES256, vector: [UInt8]) -> [UInt8] {
    var plain = [UInt8](repeating: 0, count: source.count)
    plain.withUnsafeMutableBytes { plain in
      source.withUnsafeBytes { cipher.decrypt($0, vector: vector, into: plain) }
    }
    return plain
  }
}
