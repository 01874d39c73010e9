import CadastreModel

/// Guesses the types of the columns of a table from its rows.
///
/// A column is an int if all its values are whole numbers, a double if all are numbers, and a
/// bool (in words), date or uuid if all are that; otherwise it is a string. Text that would lose
/// something as a number stays a string: `00123`, `+49 30 1234`, whole numbers of more than 64
/// bits, and whole numbers beyond 2⁵³ among fractions. Nulls say nothing about the type.
package struct ColumnTypeInference: Sendable {
  private let header: [String]
  private let text: TextFields
  private var evidence: [TextTypeInference]
  private var sawNull: [Bool]

  /// Starts with no evidence for the columns of a header.
  init(header: [String], text: TextFields = TextFields()) {
    self.header = header
    self.text = text
    evidence = header.map { _ in TextTypeInference() }
    sawNull = header.map { _ in false }
  }

  /// Looks at a row, which must have as many fields as the header.
  mutating func observe(_ record: CSVRecord) {
    for column in evidence.indices {
      record.withField(column) { bytes in
        if text.isNull(bytes) {
          sawNull[column] = true
        } else {
          text.withNumber(bytes) { evidence[column].observe($0, line: record.lineNumber) }
        }
      }
    }
  }

  /// The guesses so far, one a column, in the order of the header.
  package var fields: [DatasetField] {
    zip(header, zip(evidence, sawNull)).map { name, column in
      let (texts, sawNull) = column
      return DatasetField(
        name: name, shape: texts.count > 0 ? .scalar(texts.type) : .nothing(.string),
        isOptional: sawNull || texts.count == 0, reason: texts.reason)
    }
  }
}
