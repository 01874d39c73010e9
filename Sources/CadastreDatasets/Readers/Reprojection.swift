/// How a user turns a file in another coordinate system into one in WGS 84.
enum Reprojection {
  /// The line for a shell that writes the file anew in longitudes and latitudes.
  static func command(from path: String) -> String {
    "ogr2ogr -t_srs EPSG:4326 out.geojson \(printable(quoted(path)))"
  }

  /// An argument as a shell takes it whole.
  private static func quoted(_ argument: String) -> String {
    let isPlain = argument.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "/"),
        UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    if isPlain, !argument.isEmpty { return argument }
    let pieces = argument.split(separator: "'", omittingEmptySubsequences: false)
    return "'" + pieces.joined(separator: #"'\''"#) + "'"
  }
}
