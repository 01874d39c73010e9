/// The use of the geometries of records, apart from columns with coordinates or text.
package enum GeometryUse: Sendable {
  /// They are stored: points as `location`; if there are other geometries, or the class has `geometry`, all as that.
  case stored
  /// They are ignored, and no columns are taken for a location.
  case ignored
  /// The centroids are stored as `location`.
  case centroid
}
