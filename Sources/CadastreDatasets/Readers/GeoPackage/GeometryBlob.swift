import CadastreGeometry

/// A geometry as a GeoPackage stores it: a header, and well-known binary behind it.
///
/// Source: OGC 12-128r17, "GeoPackage Encoding Standard 1.2.1", section 2.1.3.
enum GeometryBlob {
  /// What is wrong with a blob.
  enum Problem: Error { case detail(String), referenceSystem(found: Int) }

  private static let magic = Array("GP".utf8)
  private static let headerBytes = 8
  /// The bytes of the box behind the header, by its kind: none, XY, XYZ, XYM, XYZM.
  private static let envelopeBytes = [0, 32, 48, 48, 64]

  private enum Flag {
    static let littleEndian: UInt8 = 1
    static let empty: UInt8 = 1 << 4
    static let extended: UInt8 = 1 << 5
  }

  /// The point in a blob; nil if it is empty.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - referenceSystem: That of the layer; 0, which says nothing, is taken for it too.
  /// - Returns: The point.
  /// - Throws: What was found in place of a point.
  static func point(
    _ bytes: UnsafeBufferPointer<UInt8>, referenceSystem: Int64
  ) throws(Problem) -> GeoPoint? {
    guard bytes.count >= headerBytes, bytes.starts(with: magic) else {
      throw .detail("it does not begin as one of a GeoPackage")
    }
    guard bytes[2] == 0 else { throw .detail("it is of version \(bytes[2]); expected 0") }
    let flags = bytes[3]
    guard flags & Flag.extended == 0 else { throw .detail("it is of an extension") }
    let kind = Int(flags >> 1 & 7)
    guard kind < envelopeBytes.count else { throw .detail("its box is of kind \(kind)") }
    let word = UnsafeRawBufferPointer(bytes).littleEndian(at: 4, as: Int32.self)
    let found = Int(flags & Flag.littleEndian != 0 ? word : word.byteSwapped)
    guard found == referenceSystem || found == 0 else { throw .referenceSystem(found: found) }
    if flags & Flag.empty != 0 { return nil }
    let start = headerBytes + envelopeBytes[kind]
    guard start <= bytes.count else { throw .detail("it ends within its box") }
    do throws(GeometryTextError) {
      return try GeoPoint.reading(wkb: UnsafeBufferPointer(rebasing: bytes[start...]))
    } catch {
      throw .detail("\(error)")
    }
  }

  /// The blob of a point on WGS 84, without a box.
  static func bytes(_ point: GeoPoint) -> [UInt8] {
    magic + [0, Flag.littleEndian, 0xE6, 0x10, 0, 0] + point.wkb()
  }
}
