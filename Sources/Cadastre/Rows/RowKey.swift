/// The index of a row or of an element in a coding path.
struct RowKey: CodingKey {
  let index: Int

  init(_ index: Int) { self.index = index }

  init?(intValue: Int) { index = intValue }

  init?(stringValue: String) { nil }

  var intValue: Int? { index }
  var stringValue: String { "Index \(index)" }
}

extension [any CodingKey] {
  /// The keys as text: `row 3, 'address.city'`.
  var inWords: String {
    let names = dropFirst().map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    let row = first?.intValue.map { "row \($0)" } ?? "the row"
    return names.isEmpty ? row : "\(row), '\(names.joined(separator: "."))'"
  }
}
