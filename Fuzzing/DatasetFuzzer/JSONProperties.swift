import CadastreDatasets
import DatasetTestSupport
import Foundation
import FuzzingDriver

/// The properties that the JSON reader must have for every file.
///
/// - Reading ends, with records or with an error that has a message.
/// - Records and errors do not depend on the chunk size.
/// - `JSONSerialization` accepts every accepted text and reads the same values, with the document as the
///   record.
/// - `JSONSerialization` rejects every text that violates the grammar, except for trailing commas.
struct JSONProperties: ReaderProperties {
  let framing: JSONReader.Framing

  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    let single = JSONReading(path, framing)
    var options = JSONOptions()
    options.chunkBytes = 1 + bytes.count % 7
    let chunked = JSONReading(path, framing, options: options)
    if single != chunked {
      stop("read at once:\n\(single)\nread in chunks:\n\(chunked)")
    }
    if single.isOutOfBounds { stop("reading does not end") }
    for error in single.rowErrors + [single.fileError].compactMap({ $0 }) {
      if error.description.isEmpty { stop("an error without a message") }
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
    // Foundation takes text with zero bytes for UTF-16 or UTF-32, and drops byte order marks inside
    // strings.
    guard !bytes.contains(0), !text.contains(0xEF) else { return }
    switch framing {
    case .document:
      var options = JSONOptions()
      options.recordsPath = []
      compareDocument(JSONReading(path, framing, options: options), text)
    case .sequence: compareLines(single, text)
    }
  }

  // MARK: Documents

  private func compareDocument(_ reading: JSONReading, _ text: Slice<UnsafeBufferPointer<UInt8>>) {
    let theirs = foundation(text)
    if let error = reading.fileError {
      if theirs != nil, isGrammar(error) { stop("rejected: \(error)") }
      return
    }
    guard reading.rowErrors.isEmpty, !reading.records.contains(where: \.hasInfiniteNumber) else {
      return
    }
    guard let theirs else { stop("Foundation rejects an accepted text: \(reading)") }
    let expected = JSONTree.records(ofDocument: theirs)
    if !JSONTree.array(reading.records).agrees(with: .array(expected)) {
      stop("read:\n\(reading)\nby Foundation:\n\(expected)")
    }
  }

  // MARK: Sequences

  /// Compares line by line, because Foundation does not read sequences.
  private func compareLines(_ reading: JSONReading, _ text: Slice<UnsafeBufferPointer<UInt8>>) {
    guard reading.fileError == nil, !text.contains(0x1E) else { return }
    var theirs: [JSONTree] = []
    for line in text.split(separator: UInt8(ascii: "\n")) {
      if let object = foundation(line) as? [String: Any] { theirs.append(JSONTree(object)) }
    }
    for record in reading.records where !record.hasInfiniteNumber {
      if theirs.contains(where: record.agrees) { continue }
      stop("read:\n\(record)\nby Foundation:\n\(theirs)")
    }
    let rejected = reading.rowErrors.filter { !isGrammar($0) }
    if theirs.count > reading.records.count + rejected.count {
      stop("read:\n\(reading)\nby Foundation:\n\(theirs)")
    }
  }

  private func foundation(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  }

  /// Returns whether an error is a violation of the grammar that Foundation rejects too.
  private func isGrammar(_ error: DatasetError) -> Bool {
    guard let problem = error.problem.problem(of: JSONProblem.self) else { return false }
    switch problem {
    case .unexpected(_, .objectOrArray), .unexpected(.byte(UInt8(ascii: "}")), .name),
      .unexpected(.byte(UInt8(ascii: "]")), .value):
      return false
    case .unexpected, .controlCharacter, .leadingZero: return true
    default: return false
    }
  }
}
