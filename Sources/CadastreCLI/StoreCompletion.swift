import CadastreEngine
import CadastreModel
import Foundation

/// Shell completions for the names of classes and fields.
enum StoreCompletion {
  /// Returns the names of the top-level classes of the store on the command line.
  @Sendable static func classNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    schema(words)?.objectSchema.filter { !$0.isEmbedded }.map(\.className) ?? []
  }

  /// Returns the fields of the class on the command line; those of embedded objects as key paths.
  @Sendable static func fieldNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let schema = schema(words),
      let root = words.lazy.compactMap({ schema[$0] }).first(where: { !$0.isEmbedded })
    else { return [] }
    return fields(root, schema, prefix: "")
  }

  private static func fields(_ owner: ObjectSchema, _ schema: Schema, prefix: String) -> [String] {
    owner.properties.flatMap { property -> [String] in
      guard schema.isInline(property), let target = schema.target(of: property),
        !target.isPointShaped
      else { return [prefix + property.name] }
      return fields(target, schema, prefix: "\(prefix)\(property.name).")
    }
  }

  private static func schema(_ words: [String]) -> Schema? {
    for word in words.dropFirst() where FileManager.default.isReadableFile(atPath: word) {
      if let schema = try? StoreAdministration(reading: word).schema() { return schema }
    }
    return nil
  }
}
