/// Tells whether a file of JSON is one document or a sequence of texts.
enum JSONFramingSniffer {
  /// What stands before each text of a sequence as RFC 8142 has it.
  static let recordSeparator: UInt8 = 0x1E

  private static let endings = [".geojsonl", ".geojsons", ".ndjson", ".jsonl", ".geojsonseq"]

  /// The framing that the name tells, or else the content.
  ///
  /// A record separator before anything else makes a sequence, and so do two objects with a line
  /// end between them. All else is a document, also what is not JSON.
  static func framing(
    of window: FileWindow, _ options: JSONOptions
  ) throws(DatasetError) -> JSONReader.Framing {
    var name = window.path.lowercased()
    if name.hasSuffix(".gz") { name.removeLast(3) }
    if endings.contains(where: name.hasSuffix) { return .sequence }
    var tokenizer = JSONTokenizer(keepsNodes: false, depthLimit: options.depthLimit)
    var record = JSONRecord()
    record.reserveNodes(options.depthLimit + 1)
    while true {
      let first = window.slice(0..<window.count).first { !JSONScan.isBlank($0) }
      if first == recordSeparator { return .sequence }
      if let first, first != UInt8(ascii: "{") { return .document }
      if first != nil {
        let outcome = record.nodes.withUnsafeMutableBufferPointer {
          tokenizer.run(window.bytes, limit: window.count, isLast: window.isAtEnd, $0)
        }
        switch outcome {
        case .complete:
          if let framing = framing(behind: window.slice(tokenizer.at..<window.count)) {
            return framing
          }
        case .needsMore: break
        case .needsNodes, .failed: return .document
        }
      }
      if window.isAtEnd || window.count >= options.sniffBytes { return .document }
      try window.fill()
    }
  }

  /// The framing that the bytes behind an object tell; nil if they are blank.
  private static func framing(behind rest: UnsafeBufferPointer<UInt8>) -> JSONReader.Framing? {
    guard let next = rest.firstIndex(where: { !JSONScan.isBlank($0) }) else { return nil }
    let isOnNextLine = rest[..<next].contains(UInt8(ascii: "\n"))
    return isOnNextLine && rest[next] == UInt8(ascii: "{") ? .sequence : .document
  }
}
