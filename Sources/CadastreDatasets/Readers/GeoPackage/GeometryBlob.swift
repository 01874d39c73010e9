import CadastreGeometry

/// The storage format of geometries in a GeoPackage: a header followed by well-known binary.
///
/// Source: OGC 12-128r17, "GeoPackage Encoding Standard 1.2.1", section 2.1.3.
enum GeometryBlob {
  /// An error in a blob.
  enum Problem: Error { case detail(String), referenceSystem(found: Int) }

  private static let magic = Array("GP".utf8)
  private static let headerBytes = 8
  /// The size of the envelope after the header, by its type: none, XY, XYZ, XYM, XYZM.
  private static let envelopeBytes = [0, 32, 48, 48, 64]

  private enum Flag {
    static let littleEndian: UInt8 = 1
    static let empty: UInt8 = 1 << 4
    static let extended: UInt8 = 1 << 5
  }

  /// Returns the point in a blob.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - referenceSystem: The system of the layer; a blob may have 0 (undefined) instead.
  /// - Returns: Nil for an empty point.
  /// - Throws: ``Problem`` if the blob is no point in the reference system.
  static func point(
    _ bytes: UnsafeBufferPointer<UInt8>, referenceSystem: Int64
  ) throws(Problem) -> GeoPoint? {
    guard bytes.count >= headerBytes, bytes.starts(with: magic) else {
      throw .detail("found no GeoPackage header")
    }
    guard bytes[2] == 0 else { throw .detail("found version \(bytes[2]); expected 0") }
    let flags = bytes[3]
    guard flags & Flag.extended == 0 else {
      throw .detail("found an extended geometry; expected a standard one")
    }
    let kind = Int(flags >> 1 & 7)
    guard kind < envelopeBytes.count else {
      throw .detail("found envelope type \(kind); expected 0 to 4")
    }
    let word = UnsafeRawBufferPointer(bytes).littleEndian(at: 4, as: Int32.self)
    let found = Int(flags & Flag.littleEndian != 0 ? word : word.byteSwapped)
    guard found == referenceSystem || found == 0 else { throw .referenceSystem(found: found) }
    if flags & Flag.empty != 0 { return nil }
    let start = headerBytes + envelopeBytes[kind]
    guard start <= bytes.count else { throw .detail("found the end inside the envelope") }
    do throws(GeometryTextError) {
      let geometry = try Geometry(wkb: UnsafeBufferPointer(rebasing: bytes[start...]))
      guard case .point(let position) = geometry.shape else {
        throw GeometryTextError(
          offset: 0, expected: "a Point", found: "a \(geometry.kind.rawValue)")
      }
      return position?.point
    } catch {
      throw .detail("\(error)")
    }
  }

  /// Returns the blob of a point in WGS 84, without an envelope.
  static func bytes(_ point: GeoPoint) -> [UInt8] {
    magic + [0, Flag.littleEndian, 0xE6, 0x10, 0, 0] + point.wkb()
  }
}
