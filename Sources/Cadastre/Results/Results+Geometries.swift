import CadastreModel
public import CadastrePredicate

/// The geometries of the objects of a result; a relation holds if it holds for one of them.
public struct ResultGeometries: GeometryOperand {
  /// The geometries as a side of a relation.
  public let relationSide: GeometryRelation.Side
}

extension Results where Element: ObjectBase {
  /// The geometries of the objects, for a relation to any of them.
  ///
  ///     let parks = realm.objects(Park.self).where { $0.isOpen }
  ///     realm.objects(Tree.self).where { $0.location.geoWithin(parks.any(of: \.border)) }
  ///
  /// The query looks at the objects that match when it runs, and its result changes with them. It is
  /// evaluated in the Realm of the query. Results with a limit, an order or distinct values, and those
  /// of collections, stop the process.
  ///
  /// - Parameter keyPath: The key path to a geometry, an embedded object in the shape of a GeoJSON point,
  ///   or a collection of them.
  /// - Returns: The geometries, as an argument of `geoWithin`, `geoIntersects` and other relations.
  public func any<Property: GeometryProperty>(
    of keyPath: KeyPath<Element, Property>
  ) -> ResultGeometries {
    guard let query = queryResult.classQuery else {
      ProgrammingError.stop(
        "The geometries of any object in a relation are those of a class and its conditions: take them "
          + "from results without a limit, an order, distinct values, and not from a collection.")
    }
    let path = PropertyPath(PropertyNames.name(of: keyPath))
    return ResultGeometries(
      relationSide: .objects(
        ObjectGeometries(of: query.className, at: path, where: query.predicate.named)))
  }
}
