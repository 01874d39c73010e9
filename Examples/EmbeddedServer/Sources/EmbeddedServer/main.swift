import CadastreServer
import Hummingbird

var options = StoreServer.Options()
options.allowedHosts = ["maps.example.org"]
options.authentication = { headers in
  headers["x-api-key"] == "secret" ? .allowed : .denied(reason: "expected the header X-Api-Key")
}
options.visibility = .hiding(classes: ["Account"], fields: ["Airport.notes"])
let server = try StoreServer(store: "a.cadastre", options: options)

let router = Router()
router.add(middleware: StoreRoutes(server))
router.get("hello") { _, _ in "Hello" }
try await Application(router: router).runService()
