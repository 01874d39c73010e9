import Cadastre
import Foundation
import Testing

/// Properties of another type: the values before are read from the old objects.
@Suite struct TypeChangeTests {
  private static let epoch = Date(timeIntervalSince1970: 0)
  private static let uuid = "01234567-89AB-4DEF-8123-456789ABCDEF"

  private static let scalars = [
    TypeChange(
      "Int to String", [1, -5], automatic: ["", ""], converted: ["1", "-5"],
      by: { "\($0 as? Int ?? 0)" }),
    TypeChange(
      "String to Int", ["7", "x"], automatic: [0, 0], converted: [7, -1],
      by: { Int($0 as? String ?? "") ?? -1 }),
    TypeChange(
      "Int to Double", [3], automatic: [0.0], converted: [1.5],
      by: { Double($0 as? Int ?? 0) / 2 }),
    TypeChange(
      "Double to Int", [2.75], automatic: [0], converted: [2], by: { Int($0 as? Double ?? 0) }),
    TypeChange(
      "Float to Double", [Float(0.5)], automatic: [0.0], converted: [0.5],
      by: { Double($0 as? Float ?? 0) }),
    TypeChange(
      "Bool to Int", [true, false], automatic: [0, 0], converted: [1, 0],
      by: { $0 as? Bool == true ? 1 : 0 }),
    TypeChange(
      "Int to Date", [60], automatic: [epoch], converted: [epoch + 60],
      by: { epoch + Double($0 as? Int ?? 0) }),
    TypeChange(
      "Date to String", [epoch + 9], automatic: [""], converted: ["9.0"],
      by: { "\(($0 as? Date)?.timeIntervalSince1970 ?? -1)" }),
    TypeChange(
      "String to Data", ["ab"], automatic: [Data()], converted: [Data("ab".utf8)],
      by: { Data(($0 as? String ?? "").utf8) }),
    TypeChange(
      "UUID to String", [UUID(uuidString: uuid) ?? UUID()], automatic: [""], converted: [uuid],
      by: { ($0 as? UUID)?.uuidString }),
    TypeChange(
      "Decimal128 to Double", [Decimal128(2.5)], automatic: [0.0], converted: [2.5],
      by: { ($0 as? Decimal128)?.doubleValue }),
    TypeChange(
      "ObjectId to String", [ObjectId()], automatic: [""],
      converted: ["000000000000000000000000"], by: { ($0 as? ObjectId)?.stringValue }),
  ]

  private static let optionals = [
    TypeChange(
      "Int? to Int", [4, nil] as [Int?], automatic: [4, 0], converted: [4, -1],
      by: { $0 as? Int ?? -1 }),
    TypeChange(
      "Int to Int?", [4, 0], automatic: [4, 0] as [Int?], converted: [4, nil],
      by: { $0 as? Int == 0 ? nil : $0 }),
    TypeChange(
      "String? to String", ["a", nil] as [String?], automatic: ["a", ""], converted: ["a", "none"],
      by: { $0 as? String ?? "none" }),
    TypeChange(
      "String to String?", ["a", ""], automatic: ["a", ""] as [String?], converted: ["a", nil],
      by: { $0 as? String == "" ? nil : $0 }),
    TypeChange(
      "Date? to Date", [nil] as [Date?], automatic: [epoch], converted: [epoch + 1],
      by: { $0 ?? epoch + 1 }),
    TypeChange(
      "Int? to String?", [4, nil] as [Int?], automatic: [nil, nil] as [String?],
      converted: ["4", nil], by: { ($0 as? Int).map { "\($0)" } }),
    TypeChange(
      "Int to Int8 is no change", [5, -5], automatic: [5, -5] as [Int8], converted: [6, -4],
      by: { ($0 as? Int ?? 0) + 1 }),
    TypeChange(
      "Int to an enumeration is no change", [0, 1], automatic: [Switch.off, .on],
      converted: [.on, .off], by: { $0 as? Int == 0 ? Switch.on : Switch.off }),
  ]

  private static let anything = [
    TypeChange(
      "AnyRealmValue to Int", from: AnyRealmValue.self, to: Int.self, [3, "x", [1]],
      automatic: ["0", "0", "0"], converted: ["3", "-1", "-1"], by: { $0 as? Int ?? -1 }),
    TypeChange(
      "AnyRealmValue to String", from: AnyRealmValue.self, to: String.self, [3, "x"],
      automatic: ["", ""], converted: ["-", "x"], by: { $0 as? String ?? "-" }),
    TypeChange(
      "Int to AnyRealmValue", from: Int.self, to: AnyRealmValue.self, [3], automatic: ["nil"],
      converted: ["3"], by: { $0 }),
    TypeChange(
      "String to AnyRealmValue", from: String.self, to: AnyRealmValue.self, ["a", ""],
      automatic: ["nil", "nil"], converted: ["a", "nil"],
      by: { $0 as? String == "" ? nil : $0 }),
  ]

  private static let collections = [
    TypeChange(
      "List to MutableSet", from: List<Int>.self, to: MutableSet<Int>.self, [[2, 1, 2], [Int]()],
      automatic: ["[]", "[]"], converted: ["[1, 2]", "[]"], by: { $0 }),
    TypeChange(
      "MutableSet to List", from: MutableSet<Int>.self, to: List<Int>.self, [[2, 2]],
      automatic: ["[]"], converted: ["[2]"], by: { $0 }),
    TypeChange(
      "List of Int to list of String", from: List<Int>.self, to: List<String>.self, [[2, 1]],
      automatic: ["[]"], converted: [#"["2", "1"]"#],
      by: { ($0 as? List<Int>)?.map { "\($0)" } }),
    TypeChange(
      "List of Int? to list of Int", from: List<Int?>.self, to: List<Int>.self,
      [[2, nil] as [Int?]], automatic: ["[2, 0]"], converted: ["[2]"],
      by: { ($0 as? List<Int?>)?.compactMap { $0 } }),
    TypeChange(
      "Int to list", from: Int.self, to: List<Int>.self, [5], automatic: ["[]"],
      converted: ["[5]"], by: { [$0] }),
    TypeChange(
      "List to Int", from: List<Int>.self, to: Int.self, [[5, 6]], automatic: ["0"],
      converted: ["11"], by: { ($0 as? List<Int>)?.sum() }),
    TypeChange(
      "Map to list", from: Map<String, Int>.self, to: List<Int>.self, [["a": 1, "b": 2]],
      automatic: ["[]"], converted: ["[1, 2]"], by: { ($0 as? Map<String, Int>)?.values }),
    TypeChange(
      "List to map", from: List<Int>.self, to: Map<String, Int>.self, [[7]], automatic: ["[]"],
      converted: [#"["n7"]"#],
      by: { value in (value as? List<Int>).map { ["n": $0[0]] } }),
    TypeChange(
      "AnyRealmValue to list", from: AnyRealmValue.self, to: List<Int>.self,
      [[1, 2], ["a": 1]] as [any Sendable], automatic: ["[]", "[]"], converted: ["[1, 2]", "[]"],
      by: { ($0 as? List<AnyRealmValue>)?.compactMap(\.intValue) ?? [] }),
    TypeChange(
      "Map to AnyRealmValue", from: Map<String, Int>.self, to: AnyRealmValue.self, [["a": 1]],
      automatic: ["nil"], converted: ["Map<String, AnyRealmValue> (\n\t[a]: 1\n)"], by: { $0 }),
  ]

  @Test(arguments: scalars + optionals + anything + collections)
  func `a property changes its type`(_ change: TypeChange) throws { try change.check() }

  enum Switch: Int, PersistableEnum { case off, on }
}
