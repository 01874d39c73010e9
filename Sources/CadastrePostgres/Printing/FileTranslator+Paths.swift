import CadastreModel
import CadastrePredicate

extension FileTranslator {
  /// A value at the end of a path.
  struct Operand {
    let type: PropertyType
    /// The expression.
    let text: String
  }

  /// Returns the value at the end of a path to one value.
  func operand(_ path: BoundPath) throws(UntranslatablePart) -> Operand {
    try operand(path.hops[...], from: nil, isObject: true, path)
  }

  /// Returns the value at the end of a part of a path.
  ///
  /// - Parameters:
  ///   - hops: The part.
  ///   - start: The expression in which it begins; nil for a row of the file.
  ///   - isObject: Whether the part begins at an object.
  ///   - path: The path, for messages.
  /// - Returns: The value.
  /// - Throws: ``UntranslatablePart``.
  func operand(
    _ hops: ArraySlice<BoundPath.Hop>, from start: String?, isObject: Bool, _ path: BoundPath
  ) throws(UntranslatablePart) -> Operand {
    var text = start
    var type: PropertyType?
    var isObject = isObject
    var hops = hops
    while let hop = hops.popFirst() {
      guard isObject, case .property(let bound) = hop else {
        throw refused(path, "a part of it is not translated")
      }
      let property = bound.property
      text = member(property.name, of: text)
      if property.collection != nil {
        guard hops.count == 1, hops.first == .count(ofLink: false), property.type != .linkingObjects
        else {
          throw refused(path, "a whole collection is not compared")
        }
        let function = property.collection == .map ? "cardinality" : "array_length"
        return Operand(type: .int, text: "coalesce(\(function)(\(text ?? "")), 0)")
      }
      isObject = property.type == .object && bound.target.contains(.inline)
      if isObject, bound.target.contains(.point) {
        throw refused(path, "a point is compared by GEOWITHIN only")
      }
      type = property.type
    }
    guard let type, let text, !isObject, type != .object, type != .linkingObjects else {
      throw refused(path, "links and embedded objects are not compared")
    }
    guard ![.any, .decimal128, .objectId, .geometry].contains(type) else {
      throw refused(path, "values of type '\(type)' are text or binary in the file")
    }
    return Operand(type: type, text: text)
  }

  /// Returns the expression of a member of a row or a structure.
  func member(_ name: String, of structure: String?) -> String {
    guard let structure else { return SQLTranslator.column(Self.alias, name) }
    let member = "\(structure)[\(Self.literal(name))]"
    // SedonaDB returns 0 or an empty text for a required member of a structure that is null.
    return dialect == .sedona
      ? "(CASE WHEN \(structure) IS NULL THEN NULL ELSE \(member) END)" : member
  }

  /// Returns the condition that as many elements of a list fit as a quantifier wants.
  mutating func quantified(
    _ quantifier: Quantifier, _ path: BoundPath,
    _ leaf: (inout FileTranslator, Operand) throws(UntranslatablePart) -> String
  ) throws(UntranslatablePart) -> String {
    guard let index = path.hops.firstIndex(of: .elements), index > 0,
      case .property(let list) = path.hops[index - 1], list.property.collection != .map,
      list.property.type != .linkingObjects,
      list.property.type != .object || list.target.contains(.embedded),
      !path.hops[(index + 1)...].contains(where: \.selectsElements)
    else { throw refused(path, "only the elements of one list are compared") }
    guard dialect == .duckdb else {
      throw refused(path, "SedonaDB runs no subquery over the elements of a list")
    }
    var array: String?
    for case .property(let bound) in path.hops[..<index] {
      array = member(bound.property.name, of: array)
    }
    let value = "\(newAlias())"
    let element = "\(value).v"
    let rest = path.hops[(index + 1)...]
    let operand =
      rest.isEmpty && list.property.type != .object
      ? try self.element(list.property.type, element, path)
      : try self.operand(rest, from: element, isObject: true, path)
    let condition = try leaf(&self, operand)
    let filter = quantifier == .all ? SQLTranslator.not(condition) : condition
    let exists = "EXISTS (SELECT 1 FROM unnest(\(array ?? "")) AS \(value)(v) WHERE \(filter))"
    return quantifier == .any ? exists : SQLTranslator.not(exists)
  }

  private func element(
    _ type: PropertyType, _ text: String, _ path: BoundPath
  ) throws(UntranslatablePart) -> Operand {
    guard ![.any, .decimal128, .objectId, .geometry].contains(type) else {
      throw refused(path, "values of type '\(type)' are text or binary in the file")
    }
    return Operand(type: type, text: text)
  }
}
