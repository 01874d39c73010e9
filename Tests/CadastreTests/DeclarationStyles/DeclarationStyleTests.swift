import Cadastre
import Foundation
import Testing

/// Models with `@Persisted` and those declared before it behave alike.
@Suite struct DeclarationStyleTests {
  enum Level: Int, PersistableEnum, Codable { case low, high }

  enum Word: String, PersistableEnum, Codable { case a, b }

  static let rows: [any HolderRow] = [
    both("Int", [-1, 3]), both("Int8", [Int8(-1), 3]), both("Int16", [Int16(-1), 3]),
    both("Int32", [Int32(-1), 3]), both("Int64", [Int64(-1), 3]), both("Bool", [false, true]),
    both("Float", [Float(-1.5), 3.5]), both("Double", [-1.5, 3.5]), both("String", ["", "é"]),
    both("Data", [Data(), Data([255])]),
    both("Date", [1, 2].map { Date(timeIntervalSince1970: $0) }),
    both("Decimal128", [Decimal128(-1.5), 3.5]),
    both("ObjectId", [ObjectId(), ObjectId("0123456789abcdef01234567")]),
    both(
      "UUID",
      ["00000000", "01234567"].compactMap { UUID(uuidString: "\($0)-89AB-4DEF-8123-456789ABCDEF") }),
    both("enumeration of Int", [Level.low, .high], stored: [0, 1]),
    both("enumeration of String", [Word.a, .b], stored: ["a", "b"]),
  ].flatMap { $0 }

  private static func both<Value: HolderValue>(
    _ name: String, _ values: [Value], stored: [any Hashable & Sendable]? = nil
  ) -> [any HolderRow] {
    let stored = stored ?? values
    return [
      HolderValues<ModernHolder<Value>>(
        testDescription: "\(name), @Persisted", values: values, stored: stored),
      HolderValues<OldHolder<Value>>(
        testDescription: "\(name), let", values: values, stored: stored),
    ]
  }

  @Test(arguments: HolderBehaviour.allCases, rows.map(\.testDescription))
  func `both styles behave alike`(_ behaviour: HolderBehaviour, _ row: String) throws {
    try #require(Self.rows.first { $0.testDescription == row }).check(behaviour)
  }
}
