import CadastreDatasets
import DatasetTestSupport
import Foundation
import FuzzingDriver

/// What holds for every file that is read as JSON.
///
/// - reading ends, in records or in an error that has a sentence;
/// - wherever the file is cut into pieces, records and errors are the same;
/// - what is accepted, Foundation accepts too, and it has the same values;
/// - what is refused for its grammar, Foundation refuses too, which lets commas stand at the end.
struct JSONLaws: ReaderLaws {
  let framing: JSONReader.Framing

  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    let whole = JSONReading(path, framing)
    var options = JSONOptions()
    options.chunkBytes = 1 + bytes.count % 7
    let pieces = JSONReading(path, framing, options: options)
    if whole != pieces { stop("read at once:\n\(whole)\nread in pieces:\n\(pieces)") }
    if whole.isAstray { stop("reading does not end") }
    for error in whole.rowErrors + [whole.fileError].compactMap({ $0 }) {
      if error.description.isEmpty { stop("an error without a sentence") }
    }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
    // Foundation takes bytes with zeros in between for UTF-16 or UTF-32, and loses marks of byte
    // order inside strings.
    guard !bytes.contains(0), !text.contains(0xEF) else { return }
    switch framing {
    case .document: compareDocument(whole, text)
    case .sequence: compareLines(whole, text)
    }
  }

  // MARK: Documents

  private func compareDocument(_ reading: JSONReading, _ text: Slice<UnsafeBufferPointer<UInt8>>) {
    let theirs = foundation(text)
    if let error = reading.fileError {
      if theirs != nil, isGrammar(error) { stop("refused: \(error)") }
      return
    }
    let isWhole = reading.rowErrors.isEmpty
    guard isWhole, !reading.records.contains(where: \.hasInfiniteNumber) else { return }
    guard let theirs else { stop("Foundation refuses what is accepted: \(reading)") }
    let expected = JSONTree.records(ofDocument: theirs)
    if !JSONTree.array(reading.records).agrees(with: .array(expected)) {
      stop("read:\n\(reading)\nby Foundation:\n\(expected)")
    }
  }

  // MARK: Sequences

  /// Compares lines, as Foundation knows no sequences.
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
    let refused = reading.rowErrors.filter { !isGrammar($0) }
    if theirs.count > reading.records.count + refused.count {
      stop("read:\n\(reading)\nby Foundation:\n\(theirs)")
    }
  }

  private func foundation(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
  }

  /// Whether an error says that a text is not JSON, in a way that Foundation agrees with.
  private func isGrammar(_ error: DatasetError) -> Bool {
    guard case .json(let problem) = error.problem else { return false }
    switch problem {
    case .unexpected(_, .objectOrArray), .unexpected(.byte(UInt8(ascii: "}")), .name),
      .unexpected(.byte(UInt8(ascii: "]")), .value):
      return false
    case .unexpected, .controlCharacter, .leadingZero: return true
    default: return false
    }
  }
}
