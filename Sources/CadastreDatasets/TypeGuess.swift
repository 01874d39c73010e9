package import CadastreModel

/// What a column of a table is taken for.
package struct ColumnGuess: Hashable, Sendable {
  /// The column's name, as in the header.
  package var name: String
  /// The narrowest type that every value seen has.
  package var type: PropertyType
  /// Whether a null was seen, or nothing but nulls.
  package var isOptional: Bool

  /// States a guess.
  package init(name: String, type: PropertyType, isOptional: Bool) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
  }
}

/// Guesses the types of the columns of a table from some of its rows.
///
/// A column is an int if all its values are whole numbers, a double if all are numbers, and a
/// bool (in words), date or uuid if all are that; otherwise it is a string. Text that would lose
/// something as a number stays a string: `00123`, `+49 30 1234`, whole numbers of more than 64
/// bits, and whole numbers beyond 2⁵³ among fractions. Nulls say nothing about the type.
///
/// What later rows hold is not known here: an importer checks every value against the guess.
package struct TypeGuess: Sendable {
  private let header: [String]
  private let nullText: [UInt8]
  private var evidence: [ColumnEvidence]

  /// Starts with no evidence.
  ///
  /// - Parameters:
  ///   - header: The names of the columns.
  ///   - nullText: The text that stands for null.
  package init(header: [String], nullText: String = "") {
    self.header = header
    self.nullText = Array(nullText.utf8)
    evidence = header.map { _ in ColumnEvidence() }
  }

  /// Looks at a row, which must have as many fields as the header.
  package mutating func observe(_ record: CSVRecord) {
    for column in evidence.indices {
      record.withField(column) { bytes in
        if bytes.elementsEqual(nullText) {
          evidence[column].sawNull = true
        } else {
          evidence[column].observe(bytes)
        }
      }
    }
  }

  /// The guesses so far, one a column, in the order of the header.
  package var guesses: [ColumnGuess] {
    zip(header, evidence).map { name, column in
      ColumnGuess(
        name: name, type: column.type, isOptional: column.sawNull || !column.sawValue)
    }
  }
}

/// What the values of one column have in common so far.
private struct ColumnEvidence: Sendable {
  var sawNull = false
  var sawValue = false
  private var sawDigits = false
  private var couldBeInt = true
  private var couldBeDouble = true
  private var couldBeBool = true
  private var couldBeDate = true
  private var couldBeUUID = true

  var type: PropertyType {
    guard sawValue else { return .string }
    // Nothing but `nan` or `inf` is more likely a name than a number.
    if couldBeInt { return .int }
    if couldBeDouble, sawDigits { return .double }
    if couldBeBool { return .bool }
    if couldBeDate { return .date }
    return couldBeUUID ? .UUID : .string
  }

  mutating func observe(_ bytes: UnsafeBufferPointer<UInt8>) {
    sawValue = true
    if couldBeInt || couldBeDouble { observeNumber(bytes) }
    if couldBeBool { couldBeBool = FieldParsing.boolWord(bytes) != nil }
    if couldBeDate { couldBeDate = FieldParsing.date(bytes) != nil }
    if couldBeUUID { couldBeUUID = FieldParsing.uuid(bytes) != nil }
  }

  private mutating func observeNumber(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !isCode(bytes) else {
      (couldBeInt, couldBeDouble) = (false, false)
      return
    }
    if let whole = FieldParsing.int64(bytes) {
      sawDigits = true
      if whole.magnitude > 1 << 53 { couldBeDouble = false }
      return
    }
    couldBeInt = false
    guard couldBeDouble else { return }
    let isWhole = bytes.dropFirst(bytes.first == UInt8(ascii: "-") ? 1 : 0)
      .allSatisfy { FieldParsing.digit($0) != nil }
    couldBeDouble = !isWhole && FieldParsing.double(bytes) != nil
    if let last = bytes.last, FieldParsing.digit(last) != nil || last == UInt8(ascii: ".") {
      sawDigits = true
    }
  }

  /// Whether digits are written in a way that numbers are not: `007`, `+49`.
  private func isCode(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "+") else { return true }
    let digits = bytes.dropFirst(first == UInt8(ascii: "-") ? 1 : 0)
    guard digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else {
      return false
    }
    return FieldParsing.digit(second) != nil
  }
}
