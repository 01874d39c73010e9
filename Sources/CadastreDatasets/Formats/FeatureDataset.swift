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

  func converter(_ target: RowTarget) -> JSONRowConverter { json.converter(target) }

  var notices: [String] { Set(allNotices.flatMap(\.clauses)).sorted() }
}
