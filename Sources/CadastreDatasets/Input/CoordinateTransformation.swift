import CPROJ
import CadastreFormatting
import Synchronization

/// A conversion of coordinates from a reference system to degrees in WGS 84, by the library PROJ.
///
/// PROJ chooses the operation from the system to EPSG:4326 for each position.
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
    let pointer: OpaquePointer
  }

  private let handle: Mutex<Handle>

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
    var text = [CChar](repeating: 0, count: 256)
    guard let pointer = cadastre_proj_create(system, &text, text.count) else {
      let reason = String(
        decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw Failure(
        isMissing: false, description: printable(reason))
    }
    handle = Mutex(Handle(pointer: pointer))
  }

  deinit { handle.withLock { cadastre_proj_destroy($0.pointer) } }

  /// Returns the longitude and latitude of a position in degrees; nil if it has none.
  package func degrees(_ x: Double, _ y: Double) -> (longitude: Double, latitude: Double)? {
    var (longitude, latitude) = (x, y)
    let isConverted = handle.withLock {
      cadastre_proj_convert($0.pointer, &longitude, &latitude) != 0
    }
    guard isConverted, let longitude = Self.degrees(longitude, within: 180),
      let latitude = Self.degrees(latitude, within: 90)
    else { return nil }
    return (longitude, latitude)
  }

  /// Returns an angle that may exceed a limit by a rounding error, within the limit; nil if it is
  /// out of range.
  private static func degrees(_ angle: Double, within limit: Double) -> Double? {
    guard abs(angle) <= limit + 1e-9 else { return nil }
    return min(max(angle, -limit), limit)
  }
}

/// The treatment of coordinates in other systems than WGS 84.
package struct CoordinateConversion: Sendable {
  /// The reference system that replaces the one of the files; nil to use the one of the files.
  package var system: String?
  /// Whether other systems are converted; otherwise they are errors.
  package var isEnabled: Bool

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
    if let own = self.system {
      guard !GeoJSONSystem.isWGS84(own) else { return nil }
      do throws(CoordinateTransformation.Failure) {
        return try CoordinateTransformation(from: own)
      } catch {
        throw DatasetError(
          path: path, problem: .projection(system: own, reason: error.description))
      }
    }
    guard let system else { return nil }
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
