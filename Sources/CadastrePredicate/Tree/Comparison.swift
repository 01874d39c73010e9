extension PredicateTree {
  /// A comparison of two operands.
  ///
  /// Where a side has several values, its quantifier says how many of them must match. A left
  /// quantifier encloses a right one: `ALL {1, 2} IN marks` requires a mark for each constant.
  public struct Comparison: Hashable, Sendable {
    /// The left side; once bound, a property wherever one side is a property.
    public var left: Operand
    /// How the two are compared.
    public var operation: ComparisonOperator
    /// How strings are compared.
    public var options: StringOptions
    /// The right side.
    public var right: Operand

    /// Compares two operands.
    @inlinable
    public init(
      _ left: Operand, _ operation: ComparisonOperator, _ right: Operand,
      options: StringOptions = []
    ) {
      self.left = left
      self.operation = operation
      self.options = options
      self.right = right
    }
  }
}
