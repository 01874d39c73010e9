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

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let vector = batch.columns[column]
    guard vector.nullCount > 0 else { return matching(vector, rows) }
    let present = Selection.rows(rows, in: vector, areNull: false)
    let found = matching(vector, present)
    return nulls
      ? Selection.union(Selection.rows(rows, in: vector, areNull: true), found) : found
  }

  /// The same for rows that are not null.
  private func matching(_ vector: borrowing ColumnVector, _ rows: [Int32]) -> [Int32] {
    // An array without room would write its count into the empty array that all threads share.
    guard !rows.isEmpty else { return [] }
    guard let codes = vector.codes, rows.count > codes.firstRows.count else {
      return matching(bytesOf: vector, rows)
    }
    // Each value is looked at once.
    let isMatch = [Int](unsafeUninitializedCapacity: codes.firstRows.count) { flags, count in
      var found = matching(bytesOf: vector, codes.firstRows).makeIterator()
      var next = found.next()
      for row in codes.firstRows {
        flags[count] = row == next ? 1 : 0
        if row == next { next = found.next() }
        count += 1
      }
    }
    guard isMatch.contains(1) else { return [] }
    return codes.codes.withUnsafeBufferPointer { codes in
      isMatch.withUnsafeBufferPointer { isMatch in
        [Int32](unsafeUninitializedCapacity: rows.count) { buffer, count in
          for row in rows {
            buffer[count] = row
            count &+= isMatch[Int(codes[Int(row)])]
          }
        }
      }
    }
  }

  private func matching(bytesOf vector: borrowing ColumnVector, _ rows: [Int32]) -> [Int32] {
    switch test {
    case .equal(let other) where options.isEmpty:
      let head = BytesHead(other)
      return select(rows, vector) { all, start, end in
        // Bytes differ more reliably than lengths do, so this order is guessed right more often.
        head.mayStand(at: start, in: all) && end - start == other.count
          && head.stands(at: start, in: all)
      }
    case .beginsWith(let part) where options.isEmpty:
      let head = BytesHead(part)
      return select(rows, vector) { all, start, end in
        head.mayStand(at: start, in: all) && end - start >= part.count
          && head.stands(at: start, in: all)
      }
    case .contains(let part) where options.isEmpty || options == .caseInsensitive:
      return BytesSearch(part: part, ignoresCase: !options.isEmpty).rows(rows, in: vector)
    default:
      let isText = vector.type == .string
      return select(rows, vector) { all, start, end in
        let bytes = UnsafeBufferPointer(rebasing: all[start..<end])
        if options.isEmpty { return test.passes(bytes) }
        return Self.folded(bytes, options, isText: isText).withUnsafeBufferPointer(test.passes)
      }
    }
  }

  @inline(__always)
  private func select(
    _ rows: [Int32], _ vector: borrowing ColumnVector,
    where test: (UnsafeBufferPointer<UInt8>, Int, Int) -> Bool
  ) -> [Int32] {
    let offsets = vector.offsets
    return vector.bytes.withUnsafeBufferPointer { bytes in
      offsets.withUnsafeBufferPointer { offsets in
        rows.withUnsafeBufferPointer { rows in
          [Int32](unsafeUninitializedCapacity: rows.count) { buffer, count in
            for row in rows {
              buffer[count] = row
              let (start, end) = (Int(offsets[Int(row)]), Int(offsets[Int(row) + 1]))
              count &+= test(bytes, start, end) ? 1 : 0
            }
          }
        }
      }
    }
  }

  /// Bytes in the form in which they are compared; data folds the case of its ASCII letters.
  static func folded(
    _ bytes: UnsafeBufferPointer<UInt8>, _ options: StringOptions, isText: Bool
  ) -> [UInt8] {
    if isText, options.contains(.diacriticInsensitive) {
      return StringFolding.folded(String(decoding: bytes, as: UTF8.self), options)
    }
    var folded = Array(bytes)
    if options.contains(.caseInsensitive) { StringFolding.foldCase(&folded) }
    return folded
  }
}

/// A pattern of `*`, any run of characters, and `?`, exactly one.
struct LikePattern: Sendable {
  private let pattern: [UInt8]

  init(_ pattern: [UInt8]) { self.pattern = pattern }

  /// Whether a text matches the pattern from start to end.
  ///
  /// Only the last `*` is tried again, so any pattern costs at most the product of both lengths.
  func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var (place, next) = (0, 0)
    var retry: (place: Int, next: Int)?
    while place < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        retry = (place, next)
        next += 1
      } else if next < pattern.count, pattern[next] == UInt8(ascii: "?") {
        place = Self.characterEnd(text, place)
        next += 1
      } else if next < pattern.count, pattern[next] == text[place] {
        place += 1
        next += 1
      } else if let last = retry {
        retry = (last.place + 1, last.next)
        (place, next) = (last.place + 1, last.next + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }

  private static func characterEnd(_ text: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
    var end = place + 1
    while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}
