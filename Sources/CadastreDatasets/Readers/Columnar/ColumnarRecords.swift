import CadastreColumnar
import CadastreModel

/// A reader of the records of a Parquet file, with the values of its path.
final class ColumnarRecords: RecordReader {
  let fields: [ColumnarField]
  let hasGeometry: Bool
  /// Whether the geometries are among the selected columns.
  let readsGeometry: Bool
  let rowCount: Int
  /// Whether the file says that the edges of its geometries are great circles.
  let hasSphericalEdges: Bool
  private let path: String
  private let reader: ParquetReader
  private let partition: [ColumnarValue]

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - selection: The parts that are read.
  ///   - partition: The fields of the path and their values.
  /// - Throws: ``DatasetError`` if the file is invalid.
  init(
    path: String, _ selection: ParquetReader.Selection,
    partition: [(field: ColumnarField, value: Value)]
  ) throws(DatasetError) {
    self.path = path
    let names = Set(partition.map(\.field.name))
    do throws(ColumnarError) {
      reader = try ParquetReader(try ColumnarFile(path: path), selection)
    } catch {
      throw DatasetError(path: path, error)
    }
    for field in reader.fields where field.name.isEmpty || names.contains(field.name) {
      throw DatasetError(
        path: path,
        problem: field.name.isEmpty
          ? .unnamedColumn(number: 1) : .repeatedColumn(name: field.name, first: 1, second: 2))
    }
    fields = reader.fields + partition.map(\.field)
    self.partition = partition.map { .value($0.value) }
    hasGeometry = reader.hasGeometry
    readsGeometry = reader.readsGeometry
    rowCount = reader.rowCount
    hasSphericalEdges = reader.hasSphericalEdges
  }

  /// Returns whether geometries are no points.
  ///
  /// - Throws: ``DatasetError`` if the file is invalid.
  /// - Complexity: O(1) if the file declares the types of its geometries, otherwise O(n) in the
  ///   number of rows; only the geometry is read.
  func hasShapes() throws(DatasetError) -> Bool {
    if let declared = reader.declaresShapes { return declared }
    guard let name = reader.geometryName else { return false }
    var selection = ParquetReader.Selection()
    selection.columns = [name]
    do throws(ColumnarError) {
      let reader = try ParquetReader(try ColumnarFile(path: path), selection)
      var record = ColumnarRecord()
      while try reader.next(&record) {
        if record.geometry != nil { return true }
      }
      return false
    } catch {
      throw DatasetError(path: path, error)
    }
  }

  var progressBytes: Int { reader.bytesRead }
  var totalBytes: Int? { reader.size }

  func next(_ record: inout ColumnarRecord) throws(DatasetError) -> Bool {
    do throws(ColumnarError) {
      guard try reader.next(&record) else { return false }
    } catch {
      throw DatasetError(path: path, error)
    }
    record.values += partition
    return true
  }
}

extension ColumnarRecord: PositionedRecord {
  var position: RecordPosition { .record(number) }
}

extension DatasetError {
  /// Creates the error of a columnar file.
  init(path: String, record: Int? = nil, _ error: ColumnarError) {
    let problem: Problem =
      switch error.problem {
      case .system(let number): OpenFile.problem(number)
      case .directory: .directory
      default: .columnar(error)
      }
    self.init(path: path, record: record, problem: problem)
  }
}
