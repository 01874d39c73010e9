package import CadastreGeometry
package import CadastreSQLite

/// A row in a spatial index: its key and its bounding box.
///
/// Entries are sorted along the Hilbert curve by the centres of their boxes.
package struct SpatialEntry: SortableRecord {
  let key: Int64
  /// The box of 32-bit floats.
  let box: NodeBox
  /// The position of the centre on the Hilbert curve.
  private let position: UInt32

  /// Creates the entry of a point, in degrees.
  package init(key: Int64, longitude: Double, latitude: Double) {
    self.init(key, NodeBox(longitude: longitude, latitude: latitude))
  }

  /// Creates the entry of a geometry with an envelope.
  package init(key: Int64, _ envelope: Envelope) { self.init(key, NodeBox(envelope)) }

  private init(_ key: Int64, _ box: NodeBox) {
    self.key = key
    self.box = box
    position = HilbertCurve.position(longitude: box.longitude, latitude: box.latitude)
  }

  package var sortKey: UInt64 { UInt64(position) }
}

/// A bounding box of an R*Tree: 32-bit floats, rounded so that it contains the exact box.
struct NodeBox: BitwiseCopyable {
  var west: Float
  var east: Float
  var south: Float
  var north: Float

  /// The box of a point.
  init(longitude: Double, latitude: Double) {
    west = Self.roundedDown(longitude)
    east = Self.roundedUp(longitude)
    south = Self.roundedDown(latitude)
    north = Self.roundedUp(latitude)
  }

  /// The box that contains an envelope.
  init(_ envelope: Envelope) {
    west = Self.roundedDown(envelope.west)
    east = Self.roundedUp(envelope.east)
    south = Self.roundedDown(envelope.south)
    north = Self.roundedUp(envelope.north)
  }

  init(west: Float, south: Float, east: Float, north: Float) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }

  /// Extends the box to contain another box.
  mutating func formUnion(_ other: NodeBox) {
    west = min(west, other.west)
    east = max(east, other.east)
    south = min(south, other.south)
    north = max(north, other.north)
  }

  /// The longitude of the centre, in degrees.
  var longitude: Double { (Double(west) + Double(east)) / 2 }

  /// The latitude of the centre, in degrees.
  var latitude: Double { (Double(south) + Double(north)) / 2 }

  private static func roundedDown(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) > value ? nearest.nextDown : nearest
  }

  private static func roundedUp(_ value: Double) -> Float {
    let nearest = Float(value)
    return Double(nearest) < value ? nearest.nextUp : nearest
  }
}

/// The entries for building a spatial index, in a bounded amount of memory.
package typealias SpatialEntries = ExternalSort<SpatialEntry>

/// The maximum number of records in memory while a spatial index is built.
enum SpatialMemory {
  /// The default takes about 32 MB of entries; tests set fewer.
  @TaskLocal static var capacity = 1_000_000
}

extension ExternalSort<SpatialEntry> {
  /// Creates a list without entries.
  ///
  /// - Parameter path: The file of the index.
  package convenience init(for path: String) {
    self.init(for: path, capacity: SpatialMemory.capacity)
  }

  /// Adds an entry.
  ///
  /// - Parameter entry: The entry.
  /// - Throws: ``StoreError`` when a temporary file is needed and cannot be written.
  package func add(_ entry: SpatialEntry) throws(StoreError) { try append(entry) }
}
