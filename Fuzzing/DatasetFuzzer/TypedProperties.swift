import CadastreDatasets
import Foundation
import FuzzingDriver

/// The properties that a reader of a format with declared types must have for every file.
///
/// - Reading ends, with at most one row per byte or with an error that has a message.
/// - A row has a value for every field, a number greater than that of the row before, and
///   coordinates within the limits.
enum TypedProperties {
  static func check(_ size: Int, _ open: () throws(DatasetError) -> any TypedReader) {
    do throws(DatasetError) {
      let reader = try open()
      var row = TypedRow()
      var last = 0
      while true {
        do throws(DatasetError) {
          guard try reader.nextRow(&row) else { return }
          if row.values.count != reader.fields.count { stop("a ragged row was accepted") }
          if row.number <= last { stop("record \(row.number) follows record \(last)") }
          last = row.number
          if let point = row.point, !(abs(point.longitude) <= 180 && abs(point.latitude) <= 90) {
            stop("\(point) was accepted")
          }
        } catch {
          guard error.scope == .row else { throw error }
          guard let record = error.record, record > last else {
            stop("\(error) has no valid record number")
          }
          last = record
        }
        if last > size { stop("the file has more rows than bytes") }
      }
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
  }
}

/// A Shapefile in one input: the length of the shapes in two bytes, the shapes, the table.
struct ShapefileProperties: ReaderProperties {
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    guard bytes.count >= 2 else { return }
    let rest = bytes.dropFirst(2)
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    let shapes = path + ".shp"
    do {
      try Data(rest.prefix(length)).write(to: URL(fileURLWithPath: shapes))
      try Data(rest.dropFirst(length)).write(to: URL(fileURLWithPath: path + ".dbf"))
    } catch {
      stop("\(error)")
    }
    TypedProperties.check(bytes.count) { () throws(DatasetError) in
      try ShapefileReader(path: shapes)
    }
    for ending in [".shp", ".dbf"] { unlink(path + ending) }
  }
}

/// A GeoPackage, of which the only layer is read.
struct GeoPackageProperties: ReaderProperties {
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    TypedProperties.check(bytes.count) { () throws(DatasetError) in try GeoPackageReader(path: path)
    }
  }
}
