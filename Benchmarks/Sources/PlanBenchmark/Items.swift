import CadastreModel
import CadastreStore
import CadastreTestSupport

/// A class with an index of each kind, and the values of its objects.
enum Items {
  static let className = "Item"

  static let schema = Schema([
    ObjectSchema(
      className: "Spot",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: className,
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "number", type: .int, isIndexed: true),
        Property(name: "level", type: .int, isIndexed: true),
        Property(name: "name", type: .string, isIndexed: true),
        Property(name: "weight", type: .double, isIndexed: true),
        Property(name: "at", type: .date, isIndexed: true),
        Property(name: "country", type: .string),
        Property(name: "rank", type: .int),
        Property(name: "plain", type: .int),
        Property(name: "code", type: .string),
        Property(name: "note", type: .string),
        Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      ], compoundIndexes: [["country", "rank"]]),
  ])

  /// Adds objects to an empty store.
  static func add(_ count: Int, to file: StoreFile) throws {
    var random = SeededGenerator(seed: 1)
    let transaction = try file.beginWrite()
    for number in 0..<count {
      _ = try transaction.insert(className, object: item(number, of: count, &random))
    }
    try transaction.commit()
  }

  /// The object with a number: dates ascend with the keys, and all other values are independent of each other.
  private static func item(
    _ number: Int, of count: Int, _ random: inout SeededGenerator
  ) -> PlainObject {
    var item: PlainObject = [
      "id": .value(.int(Int64(number))),
      "number": .value(.int(Int64(number * 7919 % count))),
      // Half of the objects have level 0, a quarter level 1, and so on.
      "level": .value(.int(Int64(min(15, random.next().trailingZeroBitCount)))),
      "name": .value(.string(name(random.below(count / 4)))),
      "weight": .value(.double(random.number(0...1000))),
      "at": .value(.date(Timestamp(seconds: Int64(number * 60)))),
      "country": .value(.string(country(random.below(50)))),
      "rank": .value(.int(Int64(random.below(10_000)))),
      "plain": .value(.int(Int64(number * 7907 % count))),
      "code": .value(.string("code \(random.below(100))")),
      "note": .value(.string("note \(number) " + String(repeating: "lorem ipsum ", count: 4))),
    ]
    if !random.oneIn(10) {
      let point = [random.number(-180...180), random.number(-85...85)]
      item["place"] = .embedded([
        "type": .value(.string("Point")), "coordinates": .list(point.map(Value.double)),
      ])
    }
    return item
  }

  /// The name with a number: three letters, and the number; each prefix of letters begins one name in 20, 400 or 8,000.
  static func name(_ number: Int) -> String {
    let letters = Array("abcdefghijklmnopqrst")
    var (text, rest) = ("", number)
    for _ in 0..<3 {
      text.append(letters[rest % 20])
      rest /= 20
    }
    return "\(text)\(number)"
  }

  /// The country with a number.
  static func country(_ number: Int) -> String { "country \(number)" }
}
