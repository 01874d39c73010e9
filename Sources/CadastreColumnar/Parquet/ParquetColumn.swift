package import CadastreModel

/// A column of single values that is filled value by value, without a ``ColumnarValue`` for each.
///
/// Each row of a group gets one value or null; ``ParquetWriter/finishRows(_:)`` ends rows of all columns.
package struct ParquetColumn {
  private let leaf: LeafWriter
  private let form: LeafForm
  private let isOptional: Bool

  /// Creates the column of a field; nil for fields with several values.
  init?(_ writer: FieldWriter) {
    guard case .leaf(let leaf, let form, let isOptional) = writer else { return nil }
    (self.leaf, self.form, self.isOptional) = (leaf, form, isOptional)
  }

  /// Returns whether values of a type, as the application reads them, are values of the column.
  package func holds(_ type: PropertyType) -> Bool {
    switch (type, form) {
    case (.bool, .bool), (.int, .integer), (.float, .float), (.double, .double), (.string, .text),
      (.data, .data), (.UUID, .uuid), (.date, .day), (.date, .microseconds), (.date, .nanoseconds):
      true
    default: false
    }
  }

  /// Appends null.
  ///
  /// - Throws: ``ColumnarError`` if the column is required.
  package func appendNull() throws(ColumnarError) {
    guard isOptional else { throw ColumnarError(.notWritable("a required value is null")) }
    leaf.appendNull(repetition: 0, definition: 0)
  }

  /// Appends an integer, or 0 or 1 to a column of `Bool`.
  package func append(_ number: Int64) { append([number]) }

  /// Appends a number to a column of `Double` or `Float`.
  package func append(_ number: Double) { append([number]) }

  /// Appends integers, or 0 and 1 to a column of `Bool`.
  package func append(_ numbers: [Int64]) {
    leaf.append(words: numbers.map { UInt64(bitPattern: $0) })
  }

  /// Appends numbers to a column of `Double` or `Float`.
  package func append(_ numbers: [Double]) {
    leaf.append(
      words: form == .float
        ? numbers.map { UInt64(Float($0).bitPattern) } : numbers.map(\.bitPattern))
  }

  /// Appends a date.
  package func append(_ date: Timestamp) {
    if form.rounds(date) { leaf.roundedCount += 1 }
    leaf.append(UInt64(bitPattern: form.number(date)), repetition: 0)
  }

  /// Appends data, the UTF-8 of a text, or the 16 bytes of a UUID.
  package func append(_ bytes: some Sequence<UInt8>) { leaf.append(bytes, repetition: 0) }
}
