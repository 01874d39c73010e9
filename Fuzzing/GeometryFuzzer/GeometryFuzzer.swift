import CadastreGeometry
import Foundation
import FuzzingDriver

/// Reads geometries and regions in the format that `CADASTRE_FORMAT` names, as libFuzzer generates them.
///
/// - Reading ends, with a geometry or with an error that has a message.
/// - A geometry that was read is the same after it was written and read again, in each format that has its
///   altitudes.
/// - Its measures and its envelopes are finite numbers, or there are none.
@main enum GeometryFuzzer {
  private enum Format: String, CaseIterable { case wkb, wkt, geojson }

  private static let format: Format = {
    let name = ProcessInfo.processInfo.environment["CADASTRE_FORMAT"] ?? ""
    guard let format = Format(rawValue: name) else {
      stop("CADASTRE_FORMAT is '\(name)'; expected one of \(Format.allCases.map(\.rawValue))")
    }
    return format
  }()

  static func main() {
    exit(
      fuzz { bytes, count in
        GeometryFuzzer.check(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
      })
  }

  private static func check(_ bytes: [UInt8]) {
    do throws(GeometryTextError) {
      let geometry = try geometry(bytes, format)
      for other in Format.allCases {
        // GeoJSON has no place for an altitude that only some positions have.
        if other == .geojson, geometry.hasAltitude { continue }
        guard try self.geometry(written(geometry, other), other) == geometry else {
          stop("\(geometry.wkt) is another geometry after it was written as \(other)")
        }
      }
      measure(geometry)
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
    do throws(GeometryTextError) {
      let region =
        switch format {
        case .wkb: try GeoShape(wkb: bytes)
        case .wkt: try GeoShape(wkt: String(decoding: bytes, as: UTF8.self))
        case .geojson: try GeoShape(geoJSON: bytes)
        }
      if region.summary.isEmpty { stop("a region without a summary") }
    } catch {
      if error.description.isEmpty { stop("an error without a message") }
    }
  }

  private static func geometry(
    _ bytes: [UInt8], _ format: Format
  ) throws(GeometryTextError) -> Geometry {
    switch format {
    case .wkb: try Geometry(wkb: bytes)
    case .wkt: try Geometry(wkt: String(decoding: bytes, as: UTF8.self))
    case .geojson: try Geometry(geoJSON: bytes)
    }
  }

  private static func written(_ geometry: Geometry, _ format: Format) -> [UInt8] {
    switch format {
    case .wkb: geometry.wkb()
    case .wkt: Array(geometry.wkt.utf8)
    case .geojson: Array(geometry.geoJSON.utf8)
    }
  }

  private static func measure(_ geometry: Geometry) {
    let numbers = [geometry.length, geometry.perimeter, geometry.area]
    if let wrong = numbers.first(where: { !$0.isFinite || $0 < 0 }) {
      stop("\(geometry.wkt) has the measure \(wrong)")
    }
    if let centroid = geometry.centroid, !centroid.latitude.isFinite {
      stop("\(geometry.wkt) has the centroid \(centroid)")
    }
    for edges in [EdgeModel.spherical, .planar] {
      if let box = geometry.boundingBox(edges: edges),
        !box.bottomLeft.latitude.isFinite || !box.topRight.latitude.isFinite
      {
        stop("\(geometry.wkt) has the bounding box \(box)")
      }
      _ = geometry.invalidityReason(edges: edges)
    }
  }
}
