import CadastreModel
import CadastrePredicate
import CadastreStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A test of the bytes of one value: of text, of data, or of an identifier.
enum BytesTest: Sendable {
  case equal([UInt8])
  case isIn(Set<[UInt8]>)
  /// The orders that pass: less (-1), equal (0) or greater (1).
  case ordered([UInt8], passes: [Int])
  case beginsWith([UInt8])
  case endsWith([UInt8])
  case contains([UInt8])
  case like(LikePattern)

  /// Whether some bytes pass.
  func passes(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .equal(let other): bytes.count == other.count && Self.starts(bytes, with: other)
    case .isIn(let others): others.contains(Array(bytes))
    case .ordered(let other, let passes): passes.contains(Self.order(bytes, other))
    case .beginsWith(let part): Self.starts(bytes, with: part)
    case .endsWith(let part):
      bytes.count >= part.count
        && Self.starts(UnsafeBufferPointer(rebasing: bytes.suffix(part.count)), with: part)
    case .contains(let part): Self.contains(bytes, part)
    case .like(let pattern): pattern.matches(bytes)
    }
  }

  private static func starts(_ bytes: UnsafeBufferPointer<UInt8>, with part: [UInt8]) -> Bool {
    guard bytes.count >= part.count else { return false }
    guard let start = bytes.baseAddress, !part.isEmpty else { return part.isEmpty }
    return memcmp(start, part, part.count) == 0
  }

  private static func order(_ bytes: UnsafeBufferPointer<UInt8>, _ other: [UInt8]) -> Int {
    let common = min(bytes.count, other.count)
    if common > 0, let start = bytes.baseAddress {
      let order = memcmp(start, other, common)
      if order != 0 { return order < 0 ? -1 : 1 }
    }
    return (bytes.count - other.count).signum()
  }

  private static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ part: [UInt8]) -> Bool {
    guard let start = bytes.baseAddress, let first = part.first else { return part.isEmpty }
    var place = 0
    while place + part.count <= bytes.count {
      let room = bytes.count - part.count - place + 1
      guard let found = memchr(start + place, Int32(first), room) else { return false }
      place = UnsafeRawPointer(start).distance(to: found)
      if memcmp(found, part, part.count) == 0 { return true }
      place += 1
    }
    return false
  }
}

/// Keeps rows whose bytes pass a test; the constant is folded beforehand if the comparison ignores
/// case.
struct BytesFilter: BatchFilter {
  let column: Int
  let test: BytesTest
  let options: StringOptions
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let column = batch.columns[column]
    let isText = column.type == .string
    column.keep(&rows, nulls: nulls) { rows in
      if rows.isEmpty { return }
      if let dictionary = column.dictionary {
        // Each value is looked at once.
        if rows.count >= dictionary.valueCount {
          let passing = dictionary.values { keep(&$0, $1, $2, isText: isText) }
          return dictionary.keep(&rows, values: passing)
        }
        return rows.keep { row in
          column.bytes(row).withUnsafeBufferPointer { passes($0, isText: isText) }
        }
      }
      column.withBytes { keep(&rows, $0, $1, isText: isText) }
    }
  }

  func conditions(_ columns: [ColumnReference]) -> [ScanCondition] {
    guard options.isEmpty, columns[column].type == .string else { return [] }
    let range: ScanCondition.Range?
    switch test {
    case .equal(let bytes):
      range = String(validating: bytes, as: UTF8.self).map { .closed(.string($0), .string($0)) }
    case .beginsWith(let bytes):
      range = String(validating: bytes, as: UTF8.self).map(ScanCondition.Range.prefix)
    default: range = nil
    }
    return ScanCondition.within(range.map { [$0] } ?? [], of: column, columns, nulls: nulls)
  }

  /// Keeps the rows whose bytes pass, given the bytes of all rows and the offset of each and of the
  /// end.
  private func keep(
    _ rows: inout RowSet, _ all: UnsafeBufferPointer<UInt8>,
    _ offsets: UnsafeBufferPointer<UInt32>, isText: Bool
  ) {
    switch test {
    case .equal(let other) where options.isEmpty:
      guard let length = UInt32(exactly: other.count) else { return rows = RowSet() }
      let head = BytesHead(other)
      rows.keep(below: offsets.count - 1) { offsets[$0 + 1] &- offsets[$0] == length }
      rows.keep { row in
        let start = Int(offsets[row])
        return head.mayStand(at: start, in: all) && head.stands(at: start, in: all)
      }
    case .beginsWith(let part) where options.isEmpty:
      guard let length = UInt32(exactly: part.count) else { return rows = RowSet() }
      let head = BytesHead(part)
      // Both are tested, because a branch that is guessed wrong takes longer than either.
      rows.keep(below: offsets.count - 1) { row in
        let isLongEnough = offsets[row + 1] &- offsets[row] >= length
        return head.mayStand(at: Int(offsets[row]), in: all) && isLongEnough
      }
      rows.keep { head.stands(at: Int(offsets[$0]), in: all) }
    case .contains(let part) where options.isEmpty || options == .caseInsensitive:
      let search = BytesSearch(part: part, ignoresCase: !options.isEmpty)
      // The search folds case byte by byte, which is exact in rows without other forms of letters.
      var others =
        isText && !options.isEmpty
        ? Self.rowsWithOtherForms(of: part, rows, all, offsets) : RowSet()
      rows.subtract(others)
      search.keep(&rows, all, offsets)
      guard !others.isEmpty else { return }
      var folded: [UInt8] = []
      others.keep { row in
        let range = Int(offsets[row])..<Int(offsets[row + 1])
        StringFolding.caseFold(UnsafeBufferPointer(rebasing: all[range]), into: &folded)
        return folded.withUnsafeBufferPointer(test.passes)
      }
      rows.formUnion(others)
    default:
      rows.keep { row in
        let range = Int(offsets[row])..<Int(offsets[row + 1])
        return passes(UnsafeBufferPointer(rebasing: all[range]), isText: isText)
      }
    }
  }

  /// Whether some bytes pass, folded where the comparison ignores case.
  private func passes(_ bytes: UnsafeBufferPointer<UInt8>, isText: Bool) -> Bool {
    if options.isEmpty { return test.passes(bytes) }
    return Self.folded(bytes, options, isText: isText).withUnsafeBufferPointer(test.passes)
  }

  /// Returns those of some rows whose text may have a form of a letter of a folded constant that does not fold byte by
  /// byte.
  private static func rowsWithOtherForms(
    of part: [UInt8], _ rows: RowSet, _ all: UnsafeBufferPointer<UInt8>,
    _ offsets: UnsafeBufferPointer<UInt32>
  ) -> RowSet {
    let letters = String(decoding: part, as: UTF8.self).unicodeScalars
    let forms = Set(letters.flatMap(StringFolding.forms))
    guard letters.contains(where: { $0.value > 0xFF }) else {
      // Letters up to U+00FF with a form above: i, k, s, å, ß and ÿ.
      var found = RowSet()
      for form in forms where form.value > 0xFF {
        var some = rows
        BytesSearch(part: Array(String(form).utf8), ignoresCase: false).keep(&some, all, offsets)
        found.formUnion(some)
      }
      return found
    }
    // The micro sign, U+00B5, is a form of a letter above.
    if forms.contains("\u{B5}") { return rows }
    var found = rows
    found.keep { row in
      all[Int(offsets[row])..<Int(offsets[row + 1])]
        .contains { $0 >= StringFolding.firstLeadBeyondLatin }
    }
    return found
  }

  /// Bytes in the form in which they are compared.
  ///
  /// Data folds the letters of ASCII and Latin-1, as if it were text.
  static func folded(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: StringOptions, isText: Bool
  ) -> [UInt8] {
    guard isText else {
      var folded = Array(bytes)
      if options.contains(.caseInsensitive) { StringFolding.foldLatin(&folded) }
      return folded
    }
    if options == .caseInsensitive { return StringFolding.caseFolded(bytes) }
    return StringFolding.folded(String(decoding: bytes, as: UTF8.self), options)
  }
}
