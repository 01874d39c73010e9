import CadastreFormatting

/// An error in a TopoJSON file or in one of its geometries.
package enum TopoJSONProblem: Error, Hashable, Sendable {
  /// The file is no object of type `Topology` with a member `objects`.
  case noTopology
  /// The transform or an arc is invalid.
  case arcs(detail: String)
  /// A geometry is invalid.
  case geometry(detail: String)
  /// A geometry exceeds the maximum size as text.
  case tooLong(limitBytes: Int)
}

extension TopoJSONProblem {
  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .noTopology: "found no 'objects' of a Topology; expected a TopoJSON file"
    case .arcs(let detail): "the arcs are invalid: \(printable(detail))"
    case .geometry(let detail): "the geometry is invalid: \(printable(detail))"
    case .tooLong(let limit):
      "found a geometry of more than \(grouped(limit)) bytes as text; expected a smaller one"
    }
  }
}
