package import CadastrePredicate
import Foundation

/// What to import, from where, and how strictly.
package struct ImportSettings: Sendable {
  /// What to do with a row whose primary key is stored already.
  package enum KeyPolicy: Sendable { case fail, update, skip }

  /// The files, all of one format; `-` is standard input.
  package var files: [String]
  /// The store.
  package var store: String
  /// The class that rows become objects of.
  package var className: String
  /// The format of the files; nil to find out.
  package var format: FileFormat?
  /// Whether the first line of a table names its columns; nil to find out.
  package var hasHeader: Bool?
  /// Whether tables write a comma before the fraction of a number.
  package var hasDecimalComma = false
  /// The table of a GeoPackage; nil where it has one.
  package var layer: String?
  /// The column that is the primary key.
  package var primaryKey: String?
  /// Columns that get an ordered index.
  package var indexes: [String] = []
  /// The columns of longitude and latitude, "LON,LAT"; nil to find them by their usual names.
  package var location: String?
  /// The column of places in WKT.
  package var wktColumn: String?
  /// Types that are known, "a=int,b=date".
  package var types: String?
  /// Text that means null.
  package var nullText = ""
  /// What to do with keys that are stored already.
  package var keyPolicy = KeyPolicy.fail
  /// Which rows to take; nil for all.
  package var predicate: QueryPredicate?
  /// West, south, east and north of the places to take, in degrees; west may be east of east.
  package var bounds: BoundingBox?
  /// Rows to take at most.
  package var limit: Int?
  /// Rows to leave out first.
  package var offset = 0
  /// Rows that may be refused before the whole import fails.
  package var maximumRejects = 0
  /// Whether to read and check everything and store nothing.
  package var isDryRun = false

  /// Imports files into a class of a store.
  package init(files: [String], store: String, className: String) {
    self.files = files
    self.store = store
    self.className = className
  }
}

/// A box of longitudes and latitudes in degrees, its border included.
package struct BoundingBox: Hashable, Sendable {
  private let west: Double
  private let south: Double
  private let east: Double
  private let north: Double

  /// Reads "W,S,E,N"; nil for anything else.
  package init?(_ text: String) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.trimmingCharacters(in: .whitespaces))
    }
    guard numbers.count == 4, let west = numbers[0], let south = numbers[1],
      let east = numbers[2], let north = numbers[3], south <= north
    else { return nil }
    (self.west, self.south, self.east, self.north) = (west, south, east, north)
  }

  /// Whether a place lies in the box; one whose west is east of its east crosses ±180°.
  func contains(longitude: Double, latitude: Double) -> Bool {
    guard latitude >= south, latitude <= north else { return false }
    return west <= east
      ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
  }
}
