extension CoordinateConversion {
  /// Returns the conversion of the coordinates of a file.
  ///
  /// - Parameters:
  ///   - path: The file, for errors.
  ///   - system: The name of the file's system, and its definitions, the best one first; nil for
  ///     WGS 84.
  ///   - refusal: The problem of a file in another system that is not converted.
  /// - Returns: The conversion; nil for WGS 84.
  /// - Throws: ``DatasetError`` if the system is another one and cannot be converted.
  func transformation(
    path: String, _ system: (name: String, definitions: [String])?,
    orRefuse refusal: () -> DatasetError.Problem
  ) throws(DatasetError) -> CoordinateTransformation? {
    if let own = self.system {
      guard !GeoJSONSystem.isWGS84(own) else { return nil }
      do throws(CoordinateTransformation.Failure) {
        return try CoordinateTransformation(from: own)
      } catch {
        throw DatasetError(
          path: path, problem: .projection(system: own, reason: error.description))
      }
    }
    guard let system else { return nil }
    do throws(CoordinateTransformation.Failure) {
      if let transformation = try transformation(from: system.definitions) {
        return transformation
      }
    } catch {
      throw DatasetError(
        path: path, problem: .projection(system: system.name, reason: error.description))
    }
    throw DatasetError(path: path, problem: refusal())
  }
}
