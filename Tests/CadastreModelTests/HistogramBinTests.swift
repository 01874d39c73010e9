import CadastreTestSupport
import Testing

@testable import CadastreModel

/// Bins of histograms, compared with a loop over the bins.
@Suite struct HistogramBinTests {
  @Test(arguments: Seeds.usual(1...3))
  func `each number is in the bin whose bounds contain it`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let scale = random.pick([1, 1e-300, 1e300, 1e308, 3])
      let numbers = (0..<random.below(200)).map { _ -> Double in
        random.oneIn(10)
          ? random.pick([.nan, .infinity, -.infinity, 0, -0.0])
          : random.oneIn(3) ? Double(random.below(10)) : random.number(-1.7...1.7) * scale
      }
      let finite = numbers.filter(\.isFinite)
      let bins = HistogramBin.bins(random.below(12) + 1, of: numbers)
      #expect(bins.reduce(0) { $0 + $1.count } == finite.count)
      #expect(bins.first?.lowerBound == finite.min() && bins.last?.upperBound == finite.max())
      for (index, bin) in bins.enumerated() {
        let isLast = index == bins.count - 1
        let expected = finite.filter {
          $0 >= bin.lowerBound && ($0 < bin.upperBound || isLast && $0 <= bin.upperBound)
        }
        #expect(bin.count == expected.count, "seed \(seed): \(bin)")
        if !isLast { #expect(bin.upperBound == bins[index + 1].lowerBound) }
      }
    }
  }

  @Test func `without numbers there are no bins, and equal numbers are one`() {
    #expect(HistogramBin.bins(5, of: []).isEmpty && HistogramBin.bins(5, of: [.nan]).isEmpty)
    let bins = HistogramBin.bins(5, of: [3, 3])
    #expect(bins.map(\.count) == [2] && bins[0].lowerBound == 3 && bins[0].upperBound == 3)
    #expect(HistogramBin.bins(0, of: [1, 2]).map(\.count) == [2])
    #expect(HistogramBin.bins(4, of: [0, 1, 2, 3, 4]).map(\.count) == [1, 1, 1, 2])
  }
}
