extension SQLStatement {
  /// Calls a function of libpq with the parameters: their number, types, values, lengths and formats.
  func withParameters<Result>(
    _ body: (
      Int32, [UInt32], [UnsafePointer<CChar>?], [Int32], [Int32]
    ) -> Result
  ) -> Result {
    var bytes: [UInt8] = []
    var ranges: [Range<Int>?] = []
    for parameter in parameters {
      let start = bytes.count
      parameter.write(to: &bytes)
      ranges.append(parameter == .null ? nil : start..<bytes.count)
    }
    // An empty value needs an address too.
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { buffer in
        body(
          Int32(parameters.count), parameters.map { $0.type?.identifier ?? 0 },
          ranges.map { $0.flatMap { buffer.baseAddress?.advanced(by: $0.lowerBound) } },
          ranges.map { Int32($0?.count ?? 0) }, parameters.map { _ in 1 })
      }
    }
  }
}
