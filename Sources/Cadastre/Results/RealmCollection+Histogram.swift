public import CadastreModel

extension RealmCollection where Element: KeypathSortable {
  /// Returns the number of objects in intervals of equal width of a number.
  ///
  ///     for bin in airports.histogram(of: \.elevation, bins: 20) {
  ///       print(bin.lowerBound, bin.upperBound, bin.count)
  ///     }
  ///
  /// The bins reach from the least to the greatest value, and empty ones are included. Null, NaN and infinite
  /// values are ignored. Without values there are no bins; if all values are equal there is one.
  ///
  /// - Parameters:
  ///   - keyPath: A property with a number.
  ///   - bins: The number of bins; at least 1.
  /// - Returns: The bins, ascending.
  /// - Complexity: O(n) for n objects, which are not created.
  public func histogram<Number: AddableType>(
    of keyPath: KeyPath<Element, Number>, bins: Int = 10
  ) -> [HistogramBin] {
    HistogramBin.bins(
      bins,
      of: values(of: keyPath).lazy.compactMap { number in
        guard case .value(let value) = Number.content(of: number) else { return nil }
        if case .decimal(let decimal) = value { return decimal.doubleValue }
        return value.doubleValue
      })
  }
}
