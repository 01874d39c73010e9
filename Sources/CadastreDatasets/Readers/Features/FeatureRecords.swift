import CadastreModel

/// A reader of the features of a source as records of GeoJSON.
///
/// Inference and conversion of fields and geometries are thereby those of GeoJSON files.
final class FeatureRecords: RecordReader {
  private let source: any FeatureSource
  private let options = JSONOptions()
  private var text = OutputText()

  init(_ source: any FeatureSource) { self.source = source }

  var progressBytes: Int { source.progressBytes }
  var totalBytes: Int? { source.totalBytes }

  func next(_ record: inout JSONRecord) throws(DatasetError) -> Bool {
    guard let feature = try source.nextFeature() else { return false }
    guard feature.fieldCount <= SchemaRules.maximumColumns else {
      throw DatasetError(
        path: source.path, line: feature.line, scope: .row,
        problem: .tooManyColumns(
          found: feature.fieldCount, maximum: SchemaRules.maximumColumns))
    }
    feature.append(to: &text)
    let count = text.bytes.count
    text.append([UInt8](repeating: 0, count: FileWindow.padding))
    let bytes = text.take()
    record.lineNumber = feature.line
    let problem = bytes.withUnsafeBufferPointer { bytes in
      tokenize(UnsafeBufferPointer(rebasing: bytes[..<count]), &record)
    }
    if let problem {
      throw DatasetError(
        path: source.path, line: feature.line, scope: .row, problem: .json(problem))
    }
    return true
  }

  /// Fills a record from a text that is followed by padding.
  private func tokenize(
    _ text: UnsafeBufferPointer<UInt8>, _ record: inout JSONRecord
  ) -> JSONProblem? {
    guard text.count <= options.recordLimitBytes, let start = text.baseAddress else {
      return .tooLong(limitBytes: options.recordLimitBytes)
    }
    var tokenizer = JSONTokenizer(keepsNodes: true, depthLimit: options.depthLimit)
    if let problem = record.tokenize(start, text.count, &tokenizer, options, end: .endOfText) {
      return problem
    }
    record.take(text)
    record.nodeCount = tokenizer.nodeCount
    if tokenizer.hasEscapes { _ = record.removeEscapes() }
    return nil
  }
}
