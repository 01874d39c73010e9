/// Returns the exact side of a point relative to a directed line: 1 for left, -1 for right, 0 for
/// on the line.
///
/// The sign of the rounded determinant is used if the determinant exceeds its error bound; otherwise the
/// determinant is summed without rounding.
///
/// Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates", 1997 (the bound of stage A, and expansion sums).
func orientation(
  fromX ax: Double, y ay: Double, toX bx: Double, y by: Double, pointX cx: Double, y cy: Double
) -> Int {
  let left = (ax - cx) * (by - cy)
  let right = (ay - cy) * (bx - cx)
  let determinant = left - right
  let bound = 3.330_669_073_875_471_6e-16 * (abs(left) + abs(right))
  if determinant > bound { return 1 }
  if determinant < -bound { return -1 }
  var sum = ExactSum()
  sum.add(ax, times: by)
  sum.add(-ax, times: cy)
  sum.add(-cx, times: by)
  sum.add(-ay, times: bx)
  sum.add(ay, times: cx)
  sum.add(cy, times: bx)
  return sum.sign
}

/// An exact sum of products of doubles, represented as an expansion of doubles that do not overlap.
struct ExactSum {
  /// The components in ascending magnitude; the last nonzero one has the sign of the sum.
  private var parts: [Double] = []

  /// Adds a product.
  mutating func add(_ factor: Double, times other: Double) {
    let product = factor * other
    grow(by: (-product).addingProduct(factor, other))
    grow(by: product)
  }

  /// The sign of the sum: -1, 0 or 1.
  var sign: Int {
    guard let leading = parts.last(where: { $0 != 0 }) else { return 0 }
    return leading > 0 ? 1 : -1
  }

  private mutating func grow(by value: Double) {
    var carry = value
    for index in parts.indices {
      let sum = carry + parts[index]
      let virtual = sum - carry
      let error = (carry - (sum - virtual)) + (parts[index] - virtual)
      parts[index] = error
      carry = sum
    }
    parts.append(carry)
  }
}
