/// Detection whether a JSON file is a document or a sequence of texts.
enum JSONFramingSniffer {
  /// The byte before each text of a sequence in RFC 8142.
  static let recordSeparator: UInt8 = 0x1E

  private static let endings = [".geojsonl", ".geojsons", ".ndjson", ".jsonl", ".geojsonseq"]

  /// Detects the framing from the file name, else from the content.
  ///
  /// A file is a sequence if it begins with a record separator, or with two objects separated by a
  /// line end. All other files are documents, including those that are no JSON.
  ///
  /// - Parameters:
  ///   - window: The window at the start of the file.
  ///   - options: The limits of the reader.
  /// - Returns: The framing.
  /// - Throws: ``DatasetError`` if the file cannot be read.
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
          if let framing = framing(after: window.slice(tokenizer.at..<window.count)) {
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

  /// Returns the framing for the bytes after an object; nil if they are blank.
  private static func framing(after rest: UnsafeBufferPointer<UInt8>) -> JSONReader.Framing? {
    guard let next = rest.firstIndex(where: { !JSONScan.isBlank($0) }) else { return nil }
    let isOnNextLine = rest[..<next].contains(UInt8(ascii: "\n"))
    return isOnNextLine && rest[next] == UInt8(ascii: "{") ? .sequence : .document
  }
}
