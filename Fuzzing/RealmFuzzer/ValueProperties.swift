import Cadastre
import Foundation
import FuzzingDriver

/// The properties of objects that are created from JSON.
///
/// - A value that does not fit is an `InvalidValueError` with a message, and nothing is written.
/// - A value that fits makes an object, which can be written as JSON or has a value without a form in JSON.
struct ValueProperties: RealmProperties {
  private let realm: Realm
  private let count: Int

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "values", objectTypes: [Item.self, Site.self]))
    try realm.write { Item.addSamples(0..<5, to: realm) }
    self.realm = realm
    count = realm.objects(Item.self).count
  }

  func check(_ bytes: [UInt8]) {
    let options = JSONSerialization.ReadingOptions.fragmentsAllowed
    guard let value = try? JSONSerialization.jsonObject(with: Data(bytes), options: options) else {
      return
    }
    for policy in [Realm.UpdatePolicy.error, .modified] {
      realm.beginWrite()
      do throws(InvalidValueError) {
        let item = try realm.create(checking: Item.self, value: value, update: policy)
        checkJSON(of: item)
      } catch {
        if error.description.isEmpty { stop("an error without a message") }
        if realm.objects(Item.self).count != count {
          stop("a value that does not fit was written: \(error)")
        }
      }
      realm.cancelWrite()
      if realm.objects(Item.self).count != count { stop("a cancelled write has an effect") }
    }
  }

  private func checkJSON(of item: Item) {
    do {
      _ = try JSONEncoder().encode(item.encoded(depth: 1))
    } catch is EncodingError {
      // Some values have no form in JSON.
    } catch {
      stop("\(type(of: error)) while an object is written as JSON: \(error)")
    }
  }
}
