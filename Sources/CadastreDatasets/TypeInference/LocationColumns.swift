import CadastreFormatting

/// Where the rows of a table say their place: by column numbers, counted from 0.
package enum LocationColumns: Hashable, Sendable {
  /// Two columns of degrees.
  case degrees(longitude: Int, latitude: Int)
  /// One column of well-known text.
  case wkt(Int)
}

extension LocationColumns {
  private static let longitudeNames = ["longitude", "lon", "lng", "long"]
  private static let latitudeNames = ["latitude", "lat"]
  private static let wktNames = ["wkt", "geom", "the_geom", "geometry"]

  /// Finds the columns by the usual names, in any letter case.
  ///
  /// Longitude is longitude, lon, lng, long, or x; latitude is latitude, lat, or y; text is wkt,
  /// geom, the_geom or geometry. `x` and `y` count only as a pair and only if nothing else does.
  ///
  /// - Returns: Nil when no column has such a name.
  package static func found(
    in header: [String]
  ) throws(LocationColumnsError) -> LocationColumns? {
    let longitudes = columns(longitudeNames, in: header)
    let latitudes = columns(latitudeNames, in: header)
    let texts = columns(wktNames, in: header)
    let found = longitudes + latitudes + texts
    switch (longitudes.count, latitudes.count, texts.count) {
    case (0, 0, 0):
      let x = columns(["x"], in: header)
      let y = columns(["y"], in: header)
      guard x.count == 1, y.count == 1 else { return nil }
      return .degrees(longitude: x[0], latitude: y[0])
    case (1, 1, 0):
      return .degrees(longitude: longitudes[0], latitude: latitudes[0])
    case (0, 0, 1):
      return .wkt(texts[0])
    case (1..., 0, 0), (0, 1..., 0):
      throw LocationColumnsError(
        problem: .half(isLongitude: latitudes.isEmpty, columns: found.map { header[$0] }),
        header: header)
    default:
      throw LocationColumnsError(
        problem: .ambiguous(columns: found.sorted().map { header[$0] }), header: header)
    }
  }

  /// Finds the columns that a user names as `LON,LAT`.
  ///
  /// Names match exactly, or else in any letter case if that leaves one.
  package static func named(
    _ text: String, in header: [String]
  ) throws(LocationColumnsError) -> LocationColumns {
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { String($0.trimmingBlanks()) }
    guard names.count == 2, !names.contains("") else {
      throw LocationColumnsError(problem: .notAPair(text), header: header)
    }
    let longitude = try column(names[0], in: header)
    let latitude = try column(names[1], in: header)
    guard longitude != latitude else {
      throw LocationColumnsError(problem: .notAPair(text), header: header)
    }
    return .degrees(longitude: longitude, latitude: latitude)
  }

  /// Finds the column of well-known text that a user names.
  package static func wkt(
    named name: String, in header: [String]
  ) throws(LocationColumnsError) -> LocationColumns {
    .wkt(try column(String(name.trimmingBlanks()), in: header))
  }

  private static func columns(_ names: [String], in header: [String]) -> [Int] {
    header.indices.filter { names.contains(header[$0].lowercased()) }
  }

  private static func column(
    _ name: String, in header: [String]
  ) throws(LocationColumnsError) -> Int {
    if let exact = header.firstIndex(of: name) { return exact }
    let similar = columns([name.lowercased()], in: header)
    guard let only = similar.first else {
      throw LocationColumnsError(problem: .unknownColumn(name), header: header)
    }
    guard similar.count == 1 else {
      throw LocationColumnsError(
        problem: .ambiguous(columns: similar.map { header[$0] }), header: header)
    }
    return only
  }
}

/// Why it is not clear where the rows of a table say their place.
package struct LocationColumnsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was found in place of one pair of columns or one column of text.
  package enum Problem: Hashable, Sendable {
    /// Several columns could be meant.
    case ambiguous(columns: [String])
    /// There is a longitude without a latitude, or the other way round.
    case half(isLongitude: Bool, columns: [String])
    /// The option does not name two columns.
    case notAPair(String)
    /// The table has no such column.
    case unknownColumn(String)
  }

  /// What was found.
  package var problem: Problem
  /// The names of all columns.
  package var header: [String]

  /// One sentence: what was found, what was expected.
  package var description: String {
    switch problem {
    case .ambiguous(let columns):
      "location: found columns \(listed(columns)); "
        + "expected one longitude and one latitude, or one column of WKT"
    case .half(let isLongitude, let columns):
      "location: found \(isLongitude ? "longitude" : "latitude") (\(listed(columns))) but no "
        + "\(isLongitude ? "latitude" : "longitude"); the header has \(listed(header))"
    case .notAPair(let text):
      "location: found '\(printable(text))'; expected two different columns as LON,LAT"
    case .unknownColumn(let name):
      "location: there is no column '\(printable(name))'; the header has \(listed(header))"
    }
  }
}
