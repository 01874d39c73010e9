extension Value {
  /// The value in a form in which values that are equal in the total order are equal and hash alike.
  package var groupingKey: Value {
    switch self {
    case .float(let value): .double(value.isNaN ? .nan : Double(value) + 0)
    case .double(let value): .double(value.isNaN ? .nan : value + 0)
    default: self
    }
  }
}
