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

  /// Returns the geometry in a blob.
  ///
  /// - Parameters:
  ///   - bytes: The blob.
  ///   - referenceSystem: The system of the layer; a blob may have 0 (undefined) instead.
  ///   - conversion: The conversion of the coordinates; nil for degrees.
  /// - Returns: Nil for an empty geometry.
  /// - Throws: ``Problem`` if the blob is no geometry in the reference system.
  static func geometry(
    _ bytes: UnsafeBufferPointer<UInt8>, referenceSystem: Int64,
    converting conversion: GeometryConversion? = nil
  ) throws(Problem) -> Geometry? {
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
      let geometry = try Geometry(
        wkb: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[start...])),
        converting: conversion)
      return geometry.isEmpty ? nil : geometry
    } catch {
      throw .detail("\(error)")
    }
  }

  /// Returns the blob of a geometry in WGS 84; a point has no envelope.
  ///
  /// - Parameters:
  ///   - geometry: The geometry, which is not empty.
  ///   - envelope: Its envelope with planar edges.
  /// - Returns: The header, the envelope and the well-known binary.
  static func bytes(_ geometry: Geometry, _ envelope: Envelope?) -> [UInt8] {
    let body = geometry.point?.wkb() ?? geometry.wkb()
    guard geometry.point == nil, let envelope else {
      return magic + [0, Flag.littleEndian, 0xE6, 0x10, 0, 0] + body
    }
    let sides = [
      envelope.minLongitude, envelope.maxLongitude, envelope.minLatitude, envelope.maxLatitude,
    ]
    let header = magic + [0, Flag.littleEndian | 1 << 1, 0xE6, 0x10, 0, 0]
    return header
      + sides.flatMap { side in
        withUnsafeBytes(of: side.bitPattern.littleEndian) { Array($0) }
      } + body
  }
}
