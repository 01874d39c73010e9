import CadastreModel

/// Files of features in another notation than GeoJSON: KML, GPX and TopoJSON.
struct FeatureDataset: Dataset {
  private let opening: @Sendable (String) throws(DatasetError) -> any FeatureSource
  private var json = JSONDataset(nil)
  /// The notices of the files of the first pass.
  private var allNotices: [ReaderNotices] = []

  /// Creates a dataset with a closure that opens files.
  init(_ opening: @escaping @Sendable (String) throws(DatasetError) -> any FeatureSource) {
    self.opening = opening
  }

  mutating func open(_ path: String) throws(DatasetError) -> FeatureRecords {
    let source = try opening(path)
    allNotices.append(source.notices)
    return FeatureRecords(source)
  }

  mutating func observe(_ record: JSONRecord) { json.observe(record) }

  var inferredSchema: DatasetSchema {
    get throws(ImportError) { try json.inferredSchema }
  }

  func converter(_ target: RowTarget) throws(ImportError) -> JSONRowConverter {
    try json.converter(target)
  }

  var notices: [String] { Set(allNotices.flatMap(\.clauses)).sorted() }
}

/// A reader of the features of a source as records of GeoJSON.
///
/// Fields and geometries are inferred and converted like those of GeoJSON files.
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

/// A source of features in another notation than GeoJSON: KML, GPX or TopoJSON.
protocol FeatureSource: AnyObject {
  /// The file, as named by the caller.
  var path: String { get }
  /// The number of bytes of the file that have been read.
  var progressBytes: Int { get }
  /// The size of the file in bytes; nil if it is unknown.
  var totalBytes: Int? { get }
  /// Remarks about skipped content.
  var notices: ReaderNotices { get }

  /// Reads the next feature.
  ///
  /// - Returns: The feature; nil at the end of the file.
  /// - Throws: ``DatasetError``; after one of scope `.row` the next feature can be read.
  func nextFeature() throws(DatasetError) -> FeatureContent?
}

/// A feature as the text of GeoJSON.
struct FeatureContent {
  /// The line of the feature, from 1.
  let line: Int
  /// The GeoJSON of the geometry; nil for none, so that an update keeps the stored geometry.
  var geometry: OutputText?
  /// The number of fields; those beyond the properties that a class can have are left out.
  private(set) var fieldCount = 0
  private var fields = OutputText()
  private var names = DistinctNames("_")

  /// Creates a feature without fields.
  init(line: Int) { self.line = line }

  /// Adds a text unless it is nil or empty.
  mutating func add(_ name: String, text: String?) {
    guard let text, !text.isEmpty else { return }
    add(name) { $0.appendQuoted(text) }
  }

  /// Adds a number; a text that is not a number is added as text.
  mutating func add(_ name: String, number text: String?) {
    guard let text, !text.isEmpty else { return }
    guard let number = Self.number(text) else { return add(name, text: text) }
    add(name) { $0.append(number) }
  }

  /// Adds a value in JSON.
  mutating func add(_ name: String, json: OutputText) {
    add(name) { $0.append(json.bytes) }
  }

  /// Appends the feature as GeoJSON.
  func append(to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",\"properties\":{")
    text.append(fields.bytes)
    text.append("}")
    if let geometry {
      text.append(",\"geometry\":")
      text.append(geometry.bytes)
    }
    text.append("}")
  }

  /// Adds a field with the value that a closure appends; the second field with a name gets the number 2.
  private mutating func add(_ name: String, _ appendValue: (inout OutputText) -> Void) {
    fieldCount += 1
    guard fieldCount <= SchemaRules.maximumColumns else { return }
    if fieldCount > 1 { fields.append(",") }
    fields.appendQuoted(names.add(name.isEmpty ? "value" : name))
    fields.append(":")
    appendValue(&fields)
  }

  /// Returns a text as a number of JSON; nil if it is not a finite number.
  static func number(_ text: String) -> String? {
    if let integer = Int64(text) { return "\(integer)" }
    guard let number = Double(text), number.isFinite else { return nil }
    return "\(number)"
  }
}

/// A geometry as the text of GeoJSON, which is built from the texts of its coordinates.
struct GeometryText {
  /// The name of the type in GeoJSON.
  let type: String
  /// The value of its member `coordinates` or `geometries`.
  let content: OutputText

  /// The geometry as GeoJSON.
  var json: OutputText {
    var text = OutputText()
    text.append("{\"type\":\"\(type)\",\"")
    text.append(type == "GeometryCollection" ? "geometries" : "coordinates")
    text.append("\":")
    text.append(content.bytes)
    text.append("}")
    return text
  }

  /// Creates a geometry of a type with its coordinates.
  init(_ type: String, _ content: OutputText) {
    self.type = type
    self.content = content
  }

  /// Creates a geometry from parts: a multi-part geometry if all parts are simple and of one type,
  /// else a collection.
  init(parts: [GeometryText]) {
    let simple = ["Point", "LineString", "Polygon"]
    if let first = parts.first?.type, simple.contains(first),
      parts.allSatisfy({ $0.type == first })
    {
      self.init("Multi\(first)", Self.list(parts.map(\.content)))
    } else {
      self.init("GeometryCollection", Self.list(parts.map(\.json)))
    }
  }

  /// Returns texts as an array of JSON.
  static func list(_ elements: some Sequence<OutputText>) -> OutputText {
    var text = OutputText()
    text.appendList(elements, ("[", "]")) { $0.append($1.bytes) }
    return text
  }

  /// Returns the texts of coordinates as a position.
  ///
  /// - Parameter coordinates: Longitude, latitude and, optionally, the altitude.
  /// - Returns: The position as JSON.
  /// - Throws: ``XMLProblem`` if there are too few or too many coordinates, or one is not a number.
  static func position(_ coordinates: [String]) throws(XMLProblem) -> OutputText {
    var text = OutputText()
    guard (2...3).contains(coordinates.count) else {
      throw .geometry(
        detail: "found \(coordinates.count) coordinates; expected longitude and latitude, and "
          + "optionally the altitude")
    }
    text.append("[")
    for (index, coordinate) in coordinates.enumerated() {
      guard let number = FeatureContent.number(coordinate) else {
        let hint = coordinate.contains(",") ? " with a decimal point instead of a comma" : ""
        throw .geometry(
          detail: "found the coordinate '\(coordinate.prefix(40))'; expected a number\(hint)")
      }
      if index > 0 { text.append(",") }
      text.append(number)
    }
    text.append("]")
    return text
  }
}
