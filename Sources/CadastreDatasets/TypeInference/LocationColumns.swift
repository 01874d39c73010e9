import CadastreFormatting

/// The columns with the location of a row, as indexes.
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
  private static let eastNames = [
    "easting", "eastings", "east", "x_coord", "x_coordinate", "coord_x", "rechtswert", "ostwert",
  ]
  private static let northNames = [
    "northing", "northings", "north", "y_coord", "y_coordinate", "coord_y", "hochwert", "nordwert",
  ]
  /// Names that are used only if no usual name is present.
  private static let otherLongitudeNames = [
    "longitude_deg", "lon_deg", "geo_lon", "geo_lng", "geo_long", "geo_longitude",
    "decimallongitude", "decimal_longitude", "längengrad", "laengengrad", "longitud",
    "longitudine", "lengtegraad", "x_wgs84", "point_x",
  ]
  private static let otherLatitudeNames = [
    "latitude_deg", "lat_deg", "geo_lat", "geo_latitude", "decimallatitude", "decimal_latitude",
    "breitengrad", "latitud", "latitudine", "breedtegraad", "y_wgs84", "point_y",
  ]
  private static let otherGeometryNames = ["wkt_geom", "geom_wkt"]
  private static let otherPointNames =
    [
      "geo_point_2d", "geo_point", "geopoint", "latlon", "lat_lon", "latlng", "lat_lng", "lat, lon",
      "lat,lon",
    ] + otherGeometryNames

  /// Detects the columns by the usual names, in any letter case.
  ///
  /// The names of longitude are longitude, lon, lng, long and x; those of latitude are latitude, lat
  /// and y; those of text are wkt, geom, the_geom and geometry. `x` and `y` are used only as a pair
  /// and only if there is no other name. Less usual names, such as `longitude_deg`, `Breitengrad`,
  /// `geo_point_2d`, or `station_lat` and `station_lon`, are used only if there is none of these.
  ///
  /// - Parameters:
  ///   - header: The names of all columns.
  ///   - isProjected: Whether the coordinates are in another system, so that their columns may have
  ///     names such as `easting` and `northing`.
  /// - Returns: Nil if no column has such a name.
  /// - Throws: ``LocationColumnsError`` if the names are ambiguous or incomplete.
  package static func detected(
    in header: [String], isProjected: Bool = false
  ) throws(LocationColumnsError) -> LocationColumns? {
    if isProjected {
      let (x, y) = (columns(eastNames, in: header), columns(northNames, in: header))
      if x.count == 1, y.count == 1 { return .degrees(longitude: x[0], latitude: y[0]) }
    }
    let longitudes = columns(longitudeNames, in: header)
    let latitudes = columns(latitudeNames, in: header)
    let texts = columns(wktNames, in: header)
    let all = longitudes + latitudes + texts
    switch (longitudes.count, latitudes.count, texts.count) {
    case (0, 0, 0):
      let x = columns(["x"], in: header)
      let y = columns(["y"], in: header)
      guard x.count == 1, y.count == 1 else { return other(in: header) }
      return .degrees(longitude: x[0], latitude: y[0])
    case (1, 1, 0):
      return .degrees(longitude: longitudes[0], latitude: latitudes[0])
    case (0, 0, 1):
      return .wkt(texts[0])
    case (1, 0, 0):
      let others = columns(otherLatitudeNames, in: header)
      if others.count == 1 { return .degrees(longitude: longitudes[0], latitude: others[0]) }
      throw LocationColumnsError(
        problem: .incomplete(isLongitude: true, columns: all.map { header[$0] }), header: header)
    case (0, 1, 0):
      let others = columns(otherLongitudeNames, in: header)
      if others.count == 1 { return .degrees(longitude: others[0], latitude: latitudes[0]) }
      throw LocationColumnsError(
        problem: .incomplete(isLongitude: false, columns: all.map { header[$0] }), header: header)
    case (1..., 0, 0), (0, 1..., 0):
      throw LocationColumnsError(
        problem: .incomplete(isLongitude: latitudes.isEmpty, columns: all.map { header[$0] }),
        header: header)
    default:
      throw LocationColumnsError(
        problem: .ambiguous(columns: all.sorted().map { header[$0] }), header: header)
    }
  }

  /// Detects the columns by less usual names; nil if they are missing or ambiguous.
  private static func other(in header: [String]) -> LocationColumns? {
    let longitudes = columns(otherLongitudeNames, in: header)
    let latitudes = columns(otherLatitudeNames, in: header)
    if longitudes.count == 1, latitudes.count == 1 {
      return .degrees(longitude: longitudes[0], latitude: latitudes[0])
    }
    let points = columns(otherPointNames, in: header)
    if !points.isEmpty { return points.count == 1 ? .wkt(points[0]) : nil }
    return prefixed(in: header)
  }

  /// Detects the columns by names with a prefix, such as `centroid_lat` and `centroid_lon`; nil if
  /// there is none or more than one such pair.
  private static func prefixed(in header: [String]) -> LocationColumns? {
    let pairs = header.indices.flatMap { latitude -> [LocationColumns] in
      let name = header[latitude].lowercased()
      return latitudeNames.flatMap { suffix -> [LocationColumns] in
        guard name.hasSuffix("_" + suffix) else { return [] }
        let prefix = name.dropLast(suffix.count)
        return columns(longitudeNames.map { prefix + $0 }, in: header)
          .map { .degrees(longitude: $0, latitude: latitude) }
      }
    }
    return pairs.count == 1 ? pairs[0] : nil
  }

  /// Returns the columns that a user names as `LON,LAT`, or the column of points that the user names.
  ///
  /// A name matches exactly, or in any letter case if exactly one column does.
  ///
  /// - Parameters:
  ///   - text: Two names separated by a comma, or one name.
  ///   - header: The names of all columns.
  /// - Returns: The columns.
  /// - Throws: ``LocationColumnsError`` if the text is not a pair, or a column does not exist.
  package static func named(
    _ text: String, in header: [String]
  ) throws(LocationColumnsError) -> LocationColumns {
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { String($0.trimmingBlanks()) }
    if names.count == 1, names != [""] { return try wkt(named: text, in: header) }
    guard names.count == 2, !names.contains("") else {
      throw LocationColumnsError(problem: .notAPair(text), header: header)
    }
    let longitude = try column(names[0], in: header)
    let latitude = try column(names[1], in: header)
    guard longitude != latitude else {
      throw LocationColumnsError(problem: .notAPair(text), header: header)
    }
    let isSwapped =
      (latitudeNames + otherLatitudeNames).contains(header[longitude].lowercased())
      && (longitudeNames + otherLongitudeNames).contains(header[latitude].lowercased())
    guard !isSwapped else {
      throw LocationColumnsError(
        problem: .swapped(longitude: header[latitude], latitude: header[longitude]),
        header: header)
    }
    return .degrees(longitude: longitude, latitude: latitude)
  }

  /// Returns the column of well-known text that a user names.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - header: The names of all columns.
  /// - Returns: The column.
  /// - Throws: ``LocationColumnsError`` if the column does not exist.
  package static func wkt(
    named name: String, in header: [String]
  ) throws(LocationColumnsError) -> LocationColumns {
    .wkt(try column(String(name.trimmingBlanks()), in: header))
  }

  /// Returns whether a name is that of a column with geometries as text.
  static func isNameOfGeometries(_ name: String) -> Bool {
    (wktNames + otherGeometryNames).contains(name.lowercased())
  }

  /// Returns the limit of the degrees in a column with the name `x` or `y`; nil for other names.
  static func limit(ofShortName name: String) -> Double? {
    switch name {
    case "x", "X": Axis.longitude.limit
    case "y", "Y": Axis.latitude.limit
    default: nil
    }
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

/// An error in the choice of the columns with the location.
package struct LocationColumnsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Problem: Hashable, Sendable {
    /// Several columns are possible.
    case ambiguous(columns: [String])
    /// There is a longitude without a latitude, or a latitude without a longitude.
    case incomplete(isLongitude: Bool, columns: [String])
    /// The option does not name two columns.
    case notAPair(String)
    /// The names of the pair are those of a latitude and a longitude.
    case swapped(longitude: String, latitude: String)
    /// The table has no such column.
    case unknownColumn(String)
  }

  /// The kind of error.
  package var problem: Problem
  /// The names of all columns.
  package var header: [String]

  /// One sentence: what was found, what was expected.
  package var description: String {
    switch problem {
    case .ambiguous(let columns):
      "location: found columns \(listed(columns)); "
        + "expected one longitude and one latitude, or one column of WKT: name them with --location or --wkt"
    case .incomplete(let isLongitude, let columns):
      "location: found \(isLongitude ? "longitude" : "latitude") (\(listed(columns))) but no "
        + "\(isLongitude ? "latitude" : "longitude"); the header has \(listed(header)): name both with --location, "
        + "or take them as numbers with --no-geometry"
    case .notAPair(let text):
      "location: found '\(printable(text))'; expected two different columns as LON,LAT, or one column of points"
    case .swapped(let longitude, let latitude):
      "--location \(printable(latitude)),\(printable(longitude)): the longitude comes first; expected "
        + "--location \(printable(longitude)),\(printable(latitude)), or other names by --rename"
    case .unknownColumn(let name):
      "location: there is no column '\(printable(name))'; the header has \(listed(header))"
    }
  }
}
