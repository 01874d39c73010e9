import CadastreModel
import Foundation

extension Date: OrderedPersistable {}
extension Data: OrderedPersistable {}
extension UUID: OrderedPersistable {}
extension ObjectId: OrderedPersistable {}
