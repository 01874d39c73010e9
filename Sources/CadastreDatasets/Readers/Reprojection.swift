/// How a user turns a file in another coordinate system into one in WGS 84.
enum Reprojection {
  /// The line for a shell that writes the file anew in longitudes and latitudes.
  static func command(from path: String) -> String {
    "ogr2ogr -t_srs EPSG:4326 out.geojson \(printable(shellQuoted(path)))"
  }
}
