/// An interval of a histogram, and the number of values in it.
///
/// A bin contains its lower bound. Only the last bin contains its upper bound.
public struct HistogramBin: Hashable, Sendable {
  /// The lower bound, which belongs to the bin.
  public let lowerBound: Double
  /// The upper bound: the lower bound of the next bin, and in the last bin the greatest value.
  public let upperBound: Double
  /// The number of values.
  public fileprivate(set) var count: Int

  /// Returns bins of equal width from the least to the greatest number, empty ones included.
  ///
  /// NaN and infinite numbers are ignored. Without numbers there are no bins; if all are equal there is one.
  ///
  /// - Parameters:
  ///   - number: The number of bins, at least 1.
  ///   - values: The numbers.
  /// - Returns: The bins, ascending.
  /// - Complexity: O(n) for n numbers.
  package static func bins(_ number: Int, of values: some Sequence<Double>) -> [HistogramBin] {
    let values = values.filter(\.isFinite)
    guard let least = values.min(), let greatest = values.max() else { return [] }
    let number = least < greatest ? max(1, number) : 1
    let count = Double(number)
    // The difference of the extremes may be infinite.
    let isLarge = !(greatest - least).isFinite
    let width = isLarge ? greatest / count - least / count : (greatest - least) / count
    let lowerBounds = (0..<number).map { index in
      index == 0 ? least : min(greatest, least + Double(index) * width)
    }
    var bins = lowerBounds.indices.map { index in
      HistogramBin(
        lowerBound: lowerBounds[index],
        upperBound: index + 1 < number ? lowerBounds[index + 1] : greatest, count: 0)
    }
    for value in values {
      let position = isLarge ? value / width - least / width : (value - least) / width
      var index = position > 0 ? Int(min(position, count - 1)) : 0
      // The position is rounded, so the value is compared with the bounds that are returned.
      while index > 0, value < lowerBounds[index] { index -= 1 }
      while index + 1 < number, value >= lowerBounds[index + 1] { index += 1 }
      bins[index].count += 1
    }
    return bins
  }
}
