extension PredicateTree {
  /// The geometries of the objects of a class that match a predicate, as one side of a relation.
  public struct ObjectGeometries: Hashable, Sendable {
    /// The class of the objects.
    public var className: String
    /// The path to a geometry, or an embedded object of the GeoJSON point shape, or to several of them.
    public var path: Phase.Path
    /// The predicate that the objects match; its paths begin at the object.
    public var predicate: PredicateTree

    /// Names the geometries of objects.
    ///
    /// - Parameters:
    ///   - className: The class of the objects.
    ///   - path: The path to their geometries.
    ///   - predicate: The predicate that the objects match.
    @inlinable
    public init(
      of className: String, at path: Phase.Path, where predicate: PredicateTree = .constant(true)
    ) {
      self.className = className
      self.path = path
      self.predicate = predicate
    }
  }
}
