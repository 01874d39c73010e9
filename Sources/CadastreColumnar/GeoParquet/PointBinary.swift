import CadastreGeometry

/// Well-known binary, with a fast path for points.
package enum PointBinary {
  /// The result of reading a geometry.
  enum Content {
    case empty
    case point(ColumnarPoint)
    case shape(Geometry)
    case other(String)
  }

  /// Reads a geometry without validating the coordinates of a point.
  ///
  /// Source: OGC 06-103r4, section 8.2; PostGIS for the flags of the extended form.
  static func content(
    _ bytes: UnsafeRawBufferPointer, _ conversion: GeometryConversion? = nil
  ) -> Content {
    if bytes.isEmpty { return .empty }
    guard bytes.count >= 5, bytes[0] <= 1 else { return .other("found no well-known binary") }
    let isBigEndian = bytes[0] == 0
    func word(_ offset: Int) -> UInt32 {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
      return isBigEndian ? word.byteSwapped : UInt32(littleEndian: word)
    }
    let code = word(1)
    let plain = code & 0x1FFF_FFFF
    let hasFlags = code != plain
    let type = Int(plain % 1000)
    let dimension = plain / 1000
    guard dimension <= 3, type != 1 || !hasFlags || dimension == 0 else {
      return .other("found geometry type \(code)")
    }
    guard type == 1 else {
      do throws(GeometryTextError) {
        let geometry = try Geometry(wkb: bytes, converting: conversion)
        return geometry.isEmpty ? .empty : .shape(geometry)
      } catch {
        return .other("\(error)")
      }
    }
    let hasZ = dimension & 1 != 0 || code & 0x8000_0000 != 0
    let hasM = dimension & 2 != 0 || code & 0x4000_0000 != 0
    let start = code & 0x2000_0000 != 0 ? 9 : 5
    let count = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0)
    guard bytes.count == start + 8 * count else {
      return .other("found a Point of \(bytes.count) bytes; expected \(start + 8 * count)")
    }
    func number(_ index: Int) -> Double {
      let word = bytes.loadUnaligned(fromByteOffset: start + 8 * index, as: UInt64.self)
      return Double(bitPattern: isBigEndian ? word.byteSwapped : UInt64(littleEndian: word))
    }
    let (x, y) = (number(0), number(1))
    if x.isNaN, y.isNaN { return .empty }
    return .point(ColumnarPoint(x: x, y: y, z: hasZ ? number(2) : nil))
  }

  /// Returns the well-known binary of a point from x, y and an optional z.
  package static func bytes(_ coordinates: [Double]) -> [UInt8] {
    var bytes: [UInt8] = [1]
    bytes.appendWord(UInt32(coordinates.count > 2 ? 1001 : 1))
    for number in coordinates.prefix(3) { bytes.appendWord(number.bitPattern) }
    return bytes
  }

  /// Appends the well-known binary of a point.
  static func append(_ x: Double, _ y: Double, _ z: Double?, to bytes: inout [UInt8]) {
    bytes.append(1)
    bytes.appendWord(UInt32(z == nil ? 1 : 1001))
    bytes.appendWord(x.bitPattern)
    bytes.appendWord(y.bitPattern)
    if let z { bytes.appendWord(z.bitPattern) }
  }
}
