import CadastreFormatting
import CadastreModel

/// Type inference for text values.
struct TextTypeInference: Sendable {
  /// A type other than text that a value may have.
  enum Candidate: Int, CaseIterable, Sendable {
    case int, double, bool, date, uuid, geometry

    var type: PropertyType {
      switch self {
      case .int: .int
      case .double: .double
      case .bool: .bool
      case .date: .date
      case .uuid: .UUID
      case .geometry: .geometry
      }
    }

    var singular: String {
      switch self {
      case .int: "an integer"
      case .double: "a number"
      case .bool: "a Boolean"
      case .date: "a date"
      case .uuid: "a UUID"
      case .geometry: "a geometry"
      }
    }

    var plural: String {
      switch self {
      case .int: "integers"
      case .double: "numbers"
      case .bool: "Booleans"
      case .date: "dates"
      case .uuid: "UUIDs"
      case .geometry: "geometries"
      }
    }
  }

  /// The first value that excluded a candidate.
  private struct Counterexample: Sendable {
    /// The line of the value, from 1.
    let line: Int
    /// The number of the value, from 1.
    let number: Int
    /// The first 40 bytes of the value.
    let text: String
  }

  /// The number of observed values.
  private(set) var count = 0
  private var sawDigits = false
  /// Whether a date has a time of day.
  private var sawTime = false
  /// Whether a geometry is a line, a polygon or a collection; a column of points is a location.
  private var sawShape = false
  /// The value that excluded each candidate; nil for a remaining candidate.
  private var counterexamples = [Counterexample?](
    repeating: nil, count: Candidate.allCases.count)
  /// The first value that is a usual word for a missing value, the words, and the number of such values.
  ///
  /// They exclude no candidate, but the type is text unless the words mean null.
  private var missing: (first: Counterexample, words: [String], count: Int)?
  /// The candidates that are not excluded, as bits.
  private var possible: UInt8

  /// Whether the field has a name of geometries, so that some unreadable values do not make it text.
  private let isGeometryNamed: Bool
  /// The number of values of such a field that are no geometries, and the first one.
  private var unreadable: (count: Int, first: Counterexample?) = (0, nil)

  /// Creates an inference with candidates.
  init(_ candidates: [Candidate] = Candidate.allCases, isGeometryNamed: Bool = false) {
    self.isGeometryNamed = isGeometryNamed
    possible = candidates.reduce(0) { $0 | 1 << UInt8($1.rawValue) }
  }

  private func isPossible(_ candidate: Candidate) -> Bool {
    possible & 1 << UInt8(candidate.rawValue) != 0
  }

  /// The candidate that all values satisfy; nil for text.
  private var candidate: Candidate? { missing == nil ? candidateOfOthers : nil }

  /// The candidate that all values satisfy, except for words that mean a missing value.
  private var candidateOfOthers: Candidate? {
    guard count > missing?.count ?? 0 else { return nil }
    // A column of only `nan` or `inf` contains names rather than numbers.
    return Candidate.allCases.first {
      isPossible($0) && ($0 != .double || sawDigits)
        && ($0 != .geometry || sawShape && unreadable.count * 2 < count)
    }
  }

  /// The narrowest type of all values.
  var type: PropertyType { candidate?.type ?? .string }

  /// Whether all values are dates without a time of day.
  var isDay: Bool { type == .date && !sawTime }

  /// The words that must mean null for the column to get another type than text, this type, and the
  /// number of such values; nil if there is none.
  var nullWords: (words: [String], type: PropertyType, count: Int)? {
    guard let missing, let candidateOfOthers else { return nil }
    return (missing.words, candidateOfOthers.type, missing.count)
  }

  /// The reason for the type.
  var reason: String {
    guard count > 0 else { return "there are no values" }
    if let missing, let candidateOfOthers {
      return "not all values are \(candidateOfOthers.plural): \(clause(missing.first))"
    }
    if candidate == .geometry, let first = unreadable.first {
      return "most values are geometries; \(clause(first))"
    }
    if let candidate {
      let all =
        count == 1
        ? "the only value is \(candidate.singular)"
        : "all \(grouped(count)) values are \(candidate.plural)"
      guard candidate == .double, let fraction = counterexamples[Candidate.int.rawValue] else {
        return all
      }
      return all + ", the first with a fraction: \(clause(fraction))"
    }
    // The candidate excluded last explains the result best; one excluded by the first value does not.
    let last = Candidate.allCases.compactMap { candidate in
      counterexamples[candidate.rawValue].map { (candidate: candidate, counterexample: $0) }
    }.max { $0.counterexample.number < $1.counterexample.number }
    guard let last, last.counterexample.number > 1 else { return counted(count, "text") }
    return "not all values are \(last.candidate.plural): \(clause(last.counterexample))"
  }

  private func clause(_ counterexample: Counterexample) -> String {
    "line \(grouped(counterexample.line)) has '\(printable(counterexample.text))'"
  }

  /// Observes a value; `date` parses a date.
  mutating func observe(
    _ bytes: UnsafeBufferPointer<UInt8>, line: Int,
    date: (UnsafeBufferPointer<UInt8>) -> Timestamp? = FieldParsing.date
  ) {
    count += 1
    guard possible != 0 else { return }
    if isMissing(bytes, line) { return }
    if isPossible(.int) || isPossible(.double) { observeNumber(bytes, line) }
    if isPossible(.bool), FieldParsing.boolWord(bytes) == nil { exclude(.bool, bytes, line) }
    if isPossible(.date) {
      let date = date(bytes)
      if date == nil { exclude(.date, bytes, line) }
      if date?.isStartOfDay != true || bytes.contains(UInt8(ascii: ":")) { sawTime = true }
    }
    if isPossible(.uuid), FieldParsing.uuid(bytes) == nil { exclude(.uuid, bytes, line) }
    if isPossible(.geometry) { observeGeometry(bytes, line) }
  }

  /// Counts a usual word for a missing value; returns false for other values.
  private mutating func isMissing(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) -> Bool {
    guard bytes.count < 8, let first = bytes.first, FieldParsing.digit(first) == nil,
      let word = Self.missingWords.first(where: { $0.utf8.elementsEqual(bytes) })
    else { return false }
    guard missing != nil else {
      missing = (Counterexample(line: line, number: count, text: word), [word], 1)
      return true
    }
    if missing?.words.contains(word) == false { missing?.words.append(word) }
    missing?.count += 1
    return true
  }

  /// The usual words for a missing value.
  static let missingWords = [
    "NA", "N/A", "n/a", "na", "#N/A", "NULL", "null", "Null", "nil", "None", "none", "-", "--",
    "---",
    ".", "..", "...", "?", "\\N", "#REF!", "#NUM!",
  ]

  private mutating func exclude(
    _ candidate: Candidate, _ bytes: UnsafeBufferPointer<UInt8>, _ line: Int
  ) {
    guard isPossible(candidate) else { return }
    possible &= ~(1 << UInt8(candidate.rawValue))
    counterexamples[candidate.rawValue] = Counterexample(
      line: line, number: count, text: String(decoding: bytes.prefix(40), as: UTF8.self))
  }

  private mutating func observeNumber(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) {
    guard !isCode(bytes) else {
      exclude(.int, bytes, line)
      exclude(.double, bytes, line)
      return
    }
    if let integer = FieldParsing.int64(bytes) {
      sawDigits = true
      if integer.magnitude > 1 << 53 { exclude(.double, bytes, line) }
      return
    }
    exclude(.int, bytes, line)
    guard isPossible(.double) else { return }
    let isInteger = bytes.dropFirst(bytes.first == UInt8(ascii: "-") ? 1 : 0)
      .allSatisfy { FieldParsing.digit($0) != nil }
    if isInteger || !FieldParsing.isDouble(bytes) { exclude(.double, bytes, line) }
    if let last = bytes.last, FieldParsing.digit(last) != nil || last == UInt8(ascii: ".") {
      sawDigits = true
    }
  }

  /// Observes whether a value begins as well-known text, as GeoJSON or as well-known binary in hexadecimal digits.
  private mutating func observeGeometry(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) {
    if Self.beginsAsGeoJSON(bytes) || Self.beginsAsBinary(bytes) {
      // A column of such points keeps its name.
      sawShape = true
      return
    }
    let name = bytes.prefix { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
    let next = bytes.dropFirst(name.count).first
    guard next == UInt8(ascii: "(") || next == UInt8(ascii: " "),
      let kind = Self.geometryNames.firstIndex(where: {
        FieldParsing.matches(UnsafeBufferPointer(rebasing: name), $0)
      })
    else { return observeUnreadable(bytes, line) }
    if kind > 0 { sawShape = true }
  }

  /// Returns whether a value is an object of JSON with a type and coordinates.
  private static func beginsAsGeoJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.contains("\"type\"")
      && (text.contains("\"coordinates\"") || text.contains("\"geometries\""))
  }

  /// Returns whether a value begins with the byte order and the type of a geometry in hexadecimal digits.
  private static func beginsAsBinary(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count >= 18, bytes.count.isMultiple(of: 2), bytes[0] == UInt8(ascii: "0"),
      bytes[1] == UInt8(ascii: "0") || bytes[1] == UInt8(ascii: "1"),
      bytes.allSatisfy({ FieldParsing.hexDigit($0) != nil })
    else { return false }
    let header = stride(from: 2, to: 10, by: 2).map { index in
      (FieldParsing.hexDigit(bytes[index]) ?? 0) << 4
        | (FieldParsing.hexDigit(bytes[index + 1]) ?? 0)
    }
    let ordered = bytes[1] == UInt8(ascii: "1") ? header.reversed() : header
    // The highest bits of PostGIS and the thousands of ISO tell the dimensions.
    let type = ordered.reduce(0) { $0 << 8 | $1 } & 0x0FFF_FFFF
    return type < 4_000 && (1...7).contains(type % 1_000)
  }

  private mutating func observeUnreadable(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int) {
    guard isGeometryNamed else { return exclude(.geometry, bytes, line) }
    unreadable.count += 1
    guard unreadable.first == nil else { return }
    unreadable.first = Counterexample(
      line: line, number: count, text: String(decoding: bytes.prefix(40), as: UTF8.self))
  }

  /// The types of well-known text, the point first.
  private static let geometryNames: [StaticString] = [
    "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon",
    "geometrycollection",
  ]

  /// Returns whether digits are a code, not a number: `007`, `+49`.
  private func isCode(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "+") else { return true }
    let digits = bytes.dropFirst(first == UInt8(ascii: "-") ? 1 : 0)
    guard digits.first == UInt8(ascii: "0"), let second = digits.dropFirst().first else {
      return false
    }
    return FieldParsing.digit(second) != nil
  }
}

/// Type inference for the columns of a text table.
///
/// A column is an int if all values are integers, a double if all are numbers, and a bool (as a
/// word), date or uuid if all are that; otherwise it is a string. A column stays a string if a
/// number would lose information: `00123`, `+49 30 1234`, integers of more than 64 bits, and
/// integers beyond 2⁵³ together with fractions. Nulls do not affect the type.
package struct ColumnTypeInference: Sendable {
  private let header: [String]
  private let text: TextFields
  private var columns: [TextTypeInference]
  private var sawNull: [Bool]
  /// The columns `x` and `y` with the limits of a longitude and a latitude; without those that exceed them.
  private var degreeColumns: [(index: Int, limit: Double)]

  /// Creates an inference without observations.
  init(header: [String], text: TextFields = TextFields()) {
    self.header = header
    self.text = text
    columns = header.map {
      TextTypeInference(isGeometryNamed: LocationColumns.isNameOfGeometries($0))
    }
    sawNull = header.map { _ in false }
    degreeColumns = header.enumerated().compactMap { index, name in
      LocationColumns.limit(ofShortName: name).map { (index, $0) }
    }
  }

  /// Observes a row, which must have as many fields as the header.
  mutating func observe(_ record: CSVRecord) {
    for index in columns.indices {
      record.withField(index) { bytes in
        if text.isNull(bytes) {
          sawNull[index] = true
        } else {
          text.withNumber(bytes) {
            columns[index].observe($0, line: record.lineNumber, date: text.date)
          }
        }
      }
    }
    if !degreeColumns.isEmpty { observeDegrees(record) }
  }

  /// Removes columns whose numbers are no degrees.
  private mutating func observeDegrees(_ record: CSVRecord) {
    for (position, column) in degreeColumns.enumerated().reversed() {
      let number = record.withField(column.index) { text.withNumber($0, FieldParsing.double) }
      if let number, abs(number) > column.limit { degreeColumns.remove(at: position) }
    }
  }

  /// The inferred fields, in the order of the header.
  package var fields: [DatasetField] {
    let degrees = Set(degreeColumns.map(\.index))
    return zip(header, zip(columns, sawNull)).enumerated().map { index, field in
      let (name, (values, sawNull)) = field
      return DatasetField(
        name: name, shape: values.count > 0 ? .scalar(values.type) : .nothing(.string),
        isOptional: sawNull || values.count == 0, isDay: values.isDay, reason: values.reason,
        nullWord: values.nullWords.map { found in
          let empty = sawNull && text.nullIsEmpty ? [""] : []
          let options = (empty + found.words).map { "--null '\($0)'" }
          return "\(found.words.map { "'\($0)'" }.joined(separator: ", ")) in "
            + "\(counted(found.count, "row")); with \(options.joined(separator: " ")) it is "
            + articled(found.type)
        },
        exceedsDegrees: LocationColumns.limit(ofShortName: name) != nil && !degrees.contains(index))
    }
  }
}
