import BenchmarkPlaces
import CadastreGeometry
import Foundation

/// What the peers read: the coordinates as doubles, and the questions as text.
enum PeerFiles {
  static func write(_ places: [Place], _ questions: [Question], to folder: URL) throws {
    try write(places.map(\.longitude), to: folder.appendingPathComponent("longitudes.f64"))
    try write(places.map(\.latitude), to: folder.appendingPathComponent("latitudes.f64"))
    let lines = questions.map { question in
      switch question.shape {
      case .circle(let circle):
        "\(question.name)\tcircle\t\(circle.center.longitude)\t\(circle.center.latitude)\t"
          + "\(circle.radiusInRadians)"
      case .box, .polygon, .multiPolygon:
        "\(question.name)\tshape\t\(question.shape.wkt ?? "")"
      }
    }
    try (lines.joined(separator: "\n") + "\n").write(
      to: folder.appendingPathComponent("questions.tsv"), atomically: true, encoding: .utf8)
  }

  private static func write(_ numbers: [Double], to url: URL) throws {
    try numbers.withUnsafeBytes { try Data($0).write(to: url) }
  }
}
