import CadastreSQLite

/// Reads the records of a run one after the other.
struct RunReader<Record: SortableRecord> {
  /// The indexes in the file of the records that are not in the buffer yet.
  private var rest: Range<Int>
  private var buffer: [Record] = []
  private var position = 0

  /// The number of records that are read together.
  private static var bufferSize: Int { 2048 }

  /// Prepares to read a run.
  ///
  /// - Parameter run: The indexes of its records in the file.
  init(_ run: Range<Int>) { rest = run }

  /// Reads the next record.
  ///
  /// - Parameter file: The file of the run.
  /// - Returns: The record; nil at the end of the run.
  /// - Throws: ``StoreError`` when the file cannot be read.
  mutating func next(_ file: UnnamedFile?) throws(StoreError) -> Record? {
    if position == buffer.count {
      guard let file, !rest.isEmpty else { return nil }
      try fill(file)
    }
    defer { position += 1 }
    return buffer[position]
  }

  private mutating func fill(_ file: UnnamedFile) throws(StoreError) {
    let part = rest.prefix(Self.bufferSize)
    rest = part.upperBound..<rest.upperBound
    position = 0
    var result = Result<Void, StoreError>.success(())
    buffer = Array(unsafeUninitializedCapacity: part.count) { records, count in
      result = Result { () throws(StoreError) in
        try file.read(
          into: UnsafeMutableRawBufferPointer(records),
          at: part.lowerBound * MemoryLayout<Record>.stride)
      }
      if case .success = result { count = part.count }
    }
    try result.get()
  }
}
