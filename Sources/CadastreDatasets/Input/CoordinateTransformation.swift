import CPROJ
import CadastreFormatting
import CadastreGeometry
import Synchronization

/// A conversion of coordinates from a reference system to degrees in WGS 84, by the library PROJ.
///
/// PROJ chooses the operation from the system to EPSG:4326 for each position. The conversion ``wrapping`` does not
/// need PROJ: it moves longitudes beyond ±180° into the range.
///
/// Several threads may use a conversion, one at a time. PROJ replaces grids of datum shifts that
/// are not installed by less accurate methods.
package final class CoordinateTransformation: Sendable {
  /// The reason why a conversion is not possible.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Whether PROJ is not installed.
    let isMissing: Bool
    /// The reason, as a clause.
    package let description: String
  }

  /// The memory of the library, which one thread at a time uses.
  private struct Handle: @unchecked Sendable {
    /// Nil for ``wrapping``.
    let pointer: OpaquePointer?
  }

  private let handle: Mutex<Handle>

  /// The conversion of longitudes up to ±540° to the range from -180 to 180.
  static let wrapping = CoordinateTransformation()

  /// The version of the library; nil if it is not installed.
  package static var libraryVersion: String? {
    cadastre_proj_load() == nil ? String(cString: cadastre_proj_version()) : nil
  }

  /// Creates the conversion from a system.
  ///
  /// - Parameter system: A name such as `EPSG:27700`, a URN, well-known text or PROJJSON; its axes
  ///   are in the order of files, east before north.
  /// - Throws: ``Failure`` if PROJ is not installed or does not know the system.
  package init(from system: String) throws(Failure) {
    if let message = cadastre_proj_load() {
      throw Failure(isMissing: true, description: String(cString: message))
    }
    guard system.isEmpty || !system.allSatisfy(\.isNumber) else {
      throw Failure(
        isMissing: false, description: "expected a name such as EPSG:\(printable(system))")
    }
    var text = [CChar](repeating: 0, count: 256)
    guard let pointer = cadastre_proj_create(system, &text, text.count) else {
      let reason = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw Failure(
        isMissing: false, description: printable(reason))
    }
    handle = Mutex(Handle(pointer: pointer))
  }

  /// Returns the reason why there is no conversion from a system; nil if there is one.
  static func failure(of system: String) -> Failure? {
    do throws(Failure) {
      _ = try CoordinateTransformation(from: system)
      return nil
    } catch {
      return error
    }
  }

  private init() { handle = Mutex(Handle(pointer: nil)) }

  deinit { handle.withLock { if let pointer = $0.pointer { cadastre_proj_destroy(pointer) } } }

  /// Returns the longitude and latitude of a position in degrees; nil if it has none.
  package func degrees(_ x: Double, _ y: Double) -> (longitude: Double, latitude: Double)? {
    var (longitude, latitude) = (x, y)
    let isConverted = handle.withLock { handle in
      guard let pointer = handle.pointer else {
        if abs(x) > 180 + CoordinateRange.tolerance, abs(x) <= 540 {
          longitude = x.remainder(dividingBy: 360)
        }
        return true
      }
      return cadastre_proj_convert(pointer, &longitude, &latitude) != 0
    }
    guard isConverted else { return nil }
    longitude = CoordinateRange.snapped(longitude, to: 180)
    latitude = CoordinateRange.snapped(latitude, to: 90)
    guard abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    return (longitude, latitude)
  }
}

/// The remarks about values of an import that the model cannot have as they are, which its threads add.
final class ImportRemarks: Sendable {
  private let clauses = Mutex<Set<String>>([])

  /// The remark about collections, which are never null.
  static let nullCollections = "null lists and maps are stored as empty ones"

  /// Adds a remark, once.
  func add(_ clause: String) { clauses.withLock { _ = $0.insert(clause) } }

  /// The remarks, one clause each.
  var notices: [String] { clauses.withLock { $0.sorted() } }
}

/// The treatment of coordinates in other systems than WGS 84.
package struct CoordinateConversion: Sendable {
  /// The reference system that replaces the one of the files; nil to use the one of the files.
  package var system: String?
  /// Whether other systems are converted; otherwise they are errors.
  package var isEnabled: Bool
  /// Whether longitudes beyond ±180° are moved into the range.
  var wrapsLongitudes = false
  /// Whether records are read without their geometries, so that their coordinates do not matter.
  var ignoresGeometries = false
  /// The remarks of the import, which changes geometries with a remark; nil to refuse such geometries.
  var remarks: ImportRemarks?

  /// The conversion of geometries with a conversion of coordinates; nil for degrees.
  func geometries(_ transformation: CoordinateTransformation?) -> GeometryConversion {
    var conversion = GeometryConversion(
      degrees: transformation?.degrees,
      onChange: remarks.map { remarks in
        { change in
          switch change {
          case .openRing:
            remarks.add("open rings were closed: the first position was added at the end")
          case .curve:
            remarks.add("curves became lines with an edge for each 4° of an arc")
          }
        }
      })
    conversion.ignoresGeometries = ignoresGeometries
    return conversion
  }

  /// The rejection of coordinates in other systems.
  package static let none = CoordinateConversion(system: nil, isEnabled: false)

  /// Returns the conversion from a system.
  ///
  /// - Parameter definitions: The definitions of the file's system, the best one first.
  /// - Returns: The conversion; nil if conversions are not enabled or PROJ is not installed.
  /// - Throws: The reason why PROJ does not know the system.
  func transformation(
    from definitions: [String]
  ) throws(CoordinateTransformation.Failure) -> CoordinateTransformation? {
    guard isEnabled else { return nil }
    var first: CoordinateTransformation.Failure?
    for definition in definitions {
      do throws(CoordinateTransformation.Failure) {
        return try CoordinateTransformation(from: definition)
      } catch {
        if error.isMissing { return nil }
        first = first ?? error
      }
    }
    if let first { throw first }
    return nil
  }
}

extension CoordinateConversion {
  /// Returns the conversion of the coordinates of a file.
  ///
  /// - Parameters:
  ///   - path: The file, for errors.
  ///   - system: The name of the file's system, and its definitions, the best one first; nil for
  ///     WGS 84.
  ///   - refusal: The problem of a file in another system that is not converted.
  /// - Returns: The conversion; nil for WGS 84.
  /// - Throws: ``DatasetError`` if the system is another one and cannot be converted.
  func transformation(
    path: String, _ system: (name: String, definitions: [String])?,
    orRefuse refusal: () -> DatasetError.Problem
  ) throws(DatasetError) -> CoordinateTransformation? {
    if ignoresGeometries { return nil }
    let wrapping: CoordinateTransformation? = wrapsLongitudes ? .wrapping : nil
    if let own = self.system {
      guard !GeoJSONSystem.isWGS84(own) else { return wrapping }
      do throws(CoordinateTransformation.Failure) {
        return try CoordinateTransformation(from: own)
      } catch {
        throw DatasetError(
          path: path, problem: .projection(system: own, reason: error.description))
      }
    }
    guard let system else { return wrapping }
    do throws(CoordinateTransformation.Failure) {
      if let transformation = try transformation(from: system.definitions) {
        return transformation
      }
    } catch {
      throw DatasetError(
        path: path, problem: .projection(system: system.name, reason: error.description))
    }
    throw DatasetError(path: path, problem: refusal())
  }
}
