/// A source of features in another notation than GeoJSON: KML, GPX or TopoJSON.
protocol FeatureSource: AnyObject {
  /// The file, as named by the caller.
  var path: String { get }
  /// The number of bytes of the file that have been read.
  var progressBytes: Int { get }
  /// The size of the file in bytes; nil if it is unknown.
  var totalBytes: Int? { get }
  /// What was skipped.
  var notices: ReaderNotices { get }

  /// Reads the next feature.
  ///
  /// - Returns: The feature; nil at the end of the file.
  /// - Throws: ``DatasetError``; after one of scope `.row` the next feature can be read.
  func nextFeature() throws(DatasetError) -> FeatureContent?
}
