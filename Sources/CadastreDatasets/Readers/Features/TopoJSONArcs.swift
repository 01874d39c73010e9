/// The arcs of a topology, and the transform of its quantized coordinates.
struct TopoJSONArcs {
  private struct Position {
    var x: Double
    var y: Double
  }

  private struct Transform {
    var scale = Position(x: 1, y: 1)
    var translation = Position(x: 0, y: 0)

    /// Returns a position in degrees.
    ///
    /// The product may exceed the limits of degrees by a rounding error.
    func applied(to position: Position) -> Position {
      Position(
        x: Self.rounded(position.x * scale.x + translation.x, limit: 180),
        y: Self.rounded(position.y * scale.y + translation.y, limit: 90))
    }

    private static func rounded(_ degrees: Double, limit: Double) -> Double {
      abs(degrees) > limit && abs(degrees) < limit + 1e-9
        ? (degrees < 0 ? -limit : limit) : degrees
    }
  }

  /// The maximum size of a geometry as text.
  private static let maximumBytes = 64 * 1024 * 1024

  private var arcs: [[Position]] = []
  /// The transform; nil if the coordinates are not quantized.
  private let transform: Transform?

  /// Decodes the arcs of a topology.
  ///
  /// - Parameter record: The topology.
  /// - Throws: ``TopoJSONProblem`` if the transform or an arc is invalid.
  init(_ record: JSONRecord) throws(TopoJSONProblem) {
    if let node = record.member("transform", of: JSONRecord.root), record[node].kind != .null {
      guard let scale = record.member("scale", of: node),
        let translation = record.member("translate", of: node)
      else { throw .arcs(detail: "expected 'scale' and 'translate' of the transform, found none") }
      transform = Transform(
        scale: try Self.position(record, scale), translation: try Self.position(record, translation)
      )
    } else {
      transform = nil
    }
    guard let node = record.member("arcs", of: JSONRecord.root), record[node].kind == .array else {
      throw .arcs(detail: "expected an array 'arcs', found none")
    }
    for arc in record.elements(of: node) { arcs.append(try positions(record, arc)) }
  }

  private func positions(
    _ record: JSONRecord, _ arc: Int
  ) throws(TopoJSONProblem) -> [Position] {
    guard record[arc].kind == .array else { throw .arcs(detail: "an arc is no array") }
    var positions: [Position] = []
    var sum = Position(x: 0, y: 0)
    for element in record.elements(of: arc) {
      let position = try Self.position(record, element)
      guard let transform else {
        positions.append(position)
        continue
      }
      sum.x += position.x
      sum.y += position.y
      positions.append(transform.applied(to: sum))
    }
    return positions
  }

  private static func position(
    _ record: JSONRecord, _ node: Int
  ) throws(TopoJSONProblem) -> Position {
    var numbers: [Double] = []
    if record[node].kind == .array {
      for element in record.elements(of: node).prefix(2) where record[element].kind.isNumber {
        if let number = record.withText(element, FieldParsing.double) { numbers.append(number) }
      }
    }
    guard numbers.count == 2, numbers[0].isFinite, numbers[1].isFinite else {
      throw .arcs(detail: "expected two numbers, found '\(record.json(node).text.prefix(40))'")
    }
    return Position(x: numbers[0], y: numbers[1])
  }

  /// Appends the coordinates of a point.
  func appendPosition(
    _ record: JSONRecord, _ node: Int, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    let position = try Self.position(record, node)
    try append(transform?.applied(to: position) ?? position, to: &text)
  }

  /// Appends the positions of a line, whose arcs are given by their indexes.
  ///
  /// A negative index means an arc in reverse: -1 the first one. The first position of an arc is the
  /// last one of the preceding arc.
  func appendLine(
    _ record: JSONRecord, _ node: Int, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    guard record[node].kind == .array else {
      throw .geometry(detail: "expected an array of indexes of arcs")
    }
    var isFirst = true
    text.append("[")
    for element in record.elements(of: node) {
      let number = record[element].kind == .integer ? Int(record.text(element)) : nil
      guard let number, arcs.indices.contains(number < 0 ? ~number : number) else {
        throw .geometry(
          detail: "expected the index of one of \(arcs.count) arcs, found "
            + "'\(record.json(element).text.prefix(40))'")
      }
      let arc = arcs[number < 0 ? ~number : number]
      for index in arc.indices.dropFirst(isFirst ? 0 : 1) {
        if !isFirst { text.append(",") }
        isFirst = false
        try append(arc[number < 0 ? arc.count - 1 - index : index], to: &text)
      }
    }
    text.append("]")
  }

  private func append(
    _ position: Position, to text: inout OutputText
  ) throws(TopoJSONProblem) {
    try Self.checkSize(of: text)
    text.append("[\(position.x),\(position.y)]")
  }

  /// Throws an error if a geometry exceeds the maximum size.
  static func checkSize(of text: OutputText) throws(TopoJSONProblem) {
    guard text.bytes.count <= maximumBytes else { throw .tooLong(limitBytes: maximumBytes) }
  }
}
