import CadastreDatasets
import Foundation
import FuzzingDriver

/// What holds for every file whose fields have types.
///
/// - reading ends, in rows or in an error that has a sentence, and there are no more rows than bytes;
/// - a row has a value for every field, its number is greater than the last, and its place is one.
enum TypedLaws {
  static func check(_ size: Int, _ open: () throws(DatasetError) -> any TypedReader) {
    do throws(DatasetError) {
      let reader = try open()
      var row = TypedRow()
      var last = 0
      while true {
        do throws(DatasetError) {
          guard try reader.nextRow(&row) else { return }
          if row.values.count != reader.fields.count { stop("a row is ragged") }
          if row.number <= last { stop("record \(row.number) follows record \(last)") }
          last = row.number
          if let place = row.place, !(abs(place.longitude) <= 180 && abs(place.latitude) <= 90) {
            stop("\(place) is accepted")
          }
        } catch {
          guard error.scope == .row else { throw error }
          guard let record = error.record, record > last else { stop("\(error) has no place") }
          last = record
        }
        if last > size { stop("there are more rows than bytes") }
      }
    } catch {
      if error.description.isEmpty { stop("an error without a sentence") }
    }
  }
}

/// A Shapefile in one text: two bytes that say how long the shapes are, the shapes, the table.
struct ShapefileLaws: ReaderLaws {
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
    TypedLaws.check(bytes.count) { () throws(DatasetError) in try ShapefileReader(path: shapes) }
    for ending in [".shp", ".dbf"] { unlink(path + ending) }
  }
}

/// A GeoPackage with any layer.
struct GeoPackageLaws: ReaderLaws {
  func check(_ bytes: UnsafeBufferPointer<UInt8>, path: String) {
    TypedLaws.check(bytes.count) { () throws(DatasetError) in try GeoPackageReader(path: path) }
  }
}
