import CadastreModel
import Foundation

/// A cursor over the entries of a leaf in a row group.
final class LeafCursor {
  let leaf: LeafColumn
  private var chunk: ChunkReader
  private var batch = LeafBatch()
  /// The index of the current entry in the batch.
  private var entry = 0
  /// The index of the value of the current entry, or of the next value.
  private var value = 0
  private let conversion: LeafConversion
  /// The converted values of the dictionary.
  private var dictionary: [Value] = []
  private var hasDictionary = false

  /// The maximum number of entries that are decoded at once.
  private static let batchEntries = 4096
  /// The maximum number of values of a dictionary that is converted before its use.
  private static let maximumConverted = 1 << 18

  init(_ chunk: ChunkReader) {
    leaf = chunk.leaf
    self.chunk = chunk
    conversion = LeafConversion(chunk.leaf)
  }

  /// Decodes more entries if there is no current one; returns false at the end.
  @inline(__always)
  private func hasEntry() throws(ColumnarError) -> Bool {
    if entry < batch.count { return true }
    return try fill()
  }

  private func fill() throws(ColumnarError) -> Bool {
    do throws(ColumnarError) {
      try chunk.read(Self.batchEntries, into: &batch)
    } catch {
      throw error.within(leaf.description)
    }
    entry = 0
    value = 0
    if batch.isIndexed, !hasDictionary, let source = chunk.dictionary {
      hasDictionary = true
      if source.count <= Self.maximumConverted {
        dictionary.reserveCapacity(source.count)
        for index in 0..<source.count { dictionary.append(conversion.value(index, source)) }
      }
    }
    return batch.count > 0
  }

  /// Returns whether all entries were read.
  func isAtEnd() throws(ColumnarError) -> Bool { try !hasEntry() }

  /// Returns the definition level of the current entry.
  func definition() throws(ColumnarError) -> Int {
    guard try hasEntry() else { throw missing }
    return batch.definition.isEmpty ? leaf.maximumDefinition : Int(batch.definition[entry])
  }

  /// Returns the repetition level of the current entry; nil at the end.
  func repetition() throws(ColumnarError) -> Int? {
    guard try hasEntry() else { return nil }
    return batch.repetition.isEmpty ? 0 : Int(batch.repetition[entry])
  }

  /// Skips the current entry.
  func skip() throws(ColumnarError) {
    guard try hasEntry() else { throw missing }
    advance()
  }

  /// Skips the entries of rows.
  func skip(rows: Int) throws(ColumnarError) {
    var left = rows
    if leaf.maximumRepetition > 0 {
      while left > 0 {
        repeat { try skip() } while try repetition() ?? 0 > 0
        left -= 1
      }
      return
    }
    while left > 0 {
      let step = min(left, batch.count - entry)
      for _ in 0..<step { advance() }
      left -= step
      guard left > 0 else { return }
      do throws(ColumnarError) {
        left -= try chunk.skip(left)
      } catch {
        throw error.within(leaf.description)
      }
      guard try fill() || left == 0 else { throw missing }
    }
  }

  /// Takes the current entry; null if its value is absent.
  func take() throws(ColumnarError) -> Value {
    guard try hasEntry() else { throw missing }
    defer { advance() }
    guard isPresent else { return .null }
    guard batch.isIndexed else { return conversion.value(value, batch) }
    let index = Int(batch.indexes[value])
    if index < dictionary.count { return dictionary[index] }
    return chunk.dictionary.map { conversion.value(index, $0) } ?? .null
  }

  /// Calls a closure with the bytes of the current value and moves on; nil if the value is absent.
  func takeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(ColumnarError) -> Result? {
    guard try hasEntry() else { throw missing }
    defer { advance() }
    guard isPresent else { return nil }
    guard batch.isIndexed else { return batch.withBytes(value, body) }
    return chunk.dictionary?.withBytes(Int(batch.indexes[value]), body)
  }

  /// Takes the current number of a column of doubles or floats; nil if the value is absent.
  func takeDouble() throws(ColumnarError) -> Double? {
    guard try hasEntry() else { throw missing }
    defer { advance() }
    guard isPresent else { return nil }
    let word =
      batch.isIndexed
      ? chunk.dictionary?.words[Int(batch.indexes[value])] ?? 0 : batch.words[value]
    return leaf.type == .float
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
      : Double(bitPattern: UInt64(bitPattern: word))
  }

  @inline(__always)
  private var isPresent: Bool {
    batch.definition.isEmpty || batch.definition[entry] == leaf.maximumDefinition
  }

  @inline(__always)
  private func advance() {
    if isPresent { value += 1 }
    entry += 1
  }

  private var missing: ColumnarError {
    .corrupt(
      found: "the end of the values", expected: "a value for every row", part: leaf.description)
  }
}

extension LeafBatch {
  /// Calls a closure with the bytes of a value.
  func withBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = Int(starts[index])
    let end = start + Int(lengths[index])
    return storage.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }
}

/// Decoded level entries and values of a leaf; the memory is reused.
struct LeafBatch {
  /// The number of entries, which is the number of rows unless the column is repeated.
  var count = 0
  /// The levels of the entries; empty if the maximum is 0.
  var repetition: [UInt8] = []
  var definition: [UInt8] = []
  /// The values of fixed size: integers with their sign, floating-point numbers as bits.
  var words: [Int64] = []
  /// The ranges of the values of other types in `storage`.
  var starts: [Int32] = []
  var lengths: [Int32] = []
  var storage: [UInt8] = []
  /// The indexes of the values in the dictionary; they replace words and ranges if `isIndexed`.
  var indexes: [UInt32] = []
  var isIndexed = false

  /// Removes the entries and values, and keeps the memory.
  mutating func removeAll() {
    count = 0
    repetition.removeAll(keepingCapacity: true)
    definition.removeAll(keepingCapacity: true)
    words.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
    indexes.removeAll(keepingCapacity: true)
    isIndexed = false
  }
}
