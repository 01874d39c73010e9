extension PredicateTree {
  /// A comparison of two operands.
  ///
  /// Where a side has several values, its quantifier says how many of them must match. A left
  /// quantifier encloses a right one: `ALL {1, 2} IN marks` requires a mark for each constant.
  public struct Comparison: Hashable, Sendable {
    @usableFromInline
    let fields: Fields

    // One allocation, so that a copy of a leaf is a reference, in unspecialised code too.
    @usableFromInline
    indirect enum Fields: Hashable, Sendable {
      case fields(
        left: Operand, operation: ComparisonOperator, options: StringOptions, right: Operand)
    }

    /// Compares two operands.
    @inlinable
    public init(
      _ left: Operand, _ operation: ComparisonOperator, _ right: Operand,
      options: StringOptions = []
    ) {
      fields = .fields(left: left, operation: operation, options: options, right: right)
    }

    /// The left side; once bound, a property wherever one side is a property.
    @inlinable public var left: Operand {
      get {
        switch fields {
        case .fields(let left, _, _, _): left
        }
      }
      set { self = Comparison(newValue, operation, right, options: options) }
    }

    /// How the two are compared.
    @inlinable public var operation: ComparisonOperator {
      get {
        switch fields {
        case .fields(_, let operation, _, _): operation
        }
      }
      set { self = Comparison(left, newValue, right, options: options) }
    }

    /// How strings are compared.
    @inlinable public var options: StringOptions {
      get {
        switch fields {
        case .fields(_, _, let options, _): options
        }
      }
      set { self = Comparison(left, operation, right, options: newValue) }
    }

    /// The right side.
    @inlinable public var right: Operand {
      get {
        switch fields {
        case .fields(_, _, _, let right): right
        }
      }
      set { self = Comparison(left, operation, newValue, options: options) }
    }
  }
}
