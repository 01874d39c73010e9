import Testing

@testable import CadastreDatasets

@Suite struct ReferenceSystemTests {
  @Test(
    arguments: [
      // The dialects: Esri's, GDAL's with authorities, and WKT 2 as PROJ 9 writes it.
      #"GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]"#,
      #"GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]"#,
      #"""
      GEOGCRS["WGS 84",
        ENSEMBLE["World Geodetic System 1984 ensemble", MEMBER["World Geodetic System 1984 (Transit)"],
          ELLIPSOID["WGS 84",6378137,298.257223563, LENGTHUNIT["metre",1]], ENSEMBLEACCURACY[2.0]],
        PRIMEM["Greenwich",0, ANGLEUNIT["degree",0.0174532925199433]],
        CS[ellipsoidal,2], AXIS["geodetic latitude (Lat)",north, ORDER[1],
          ANGLEUNIT["degree",0.0174532925199433]], AXIS["geodetic longitude (Lon)",east, ORDER[2],
          ANGLEUNIT["degree",0.0174532925199433]],
        USAGE[SCOPE["say ""anything"""], BBOX[-90,-180,90,180]], ID["EPSG",4326]]
      """#,
    ])
  func `longitude and latitude on WGS 84 are accepted in every dialect`(text: String) {
    #expect(ReferenceSystem(wellKnownText: text) == .wgs84)
    #expect(ReferenceSystem(wellKnownText: "\u{FEFF}" + text + "\n\0") == .wgs84)
    for length in 0..<text.utf8.count - 1 {
      let cut = String(decoding: text.utf8.prefix(length), as: UTF8.self)
      #expect(ReferenceSystem(wellKnownText: cut) != .wgs84)
    }
  }

  @Test(
    arguments: [
      (
        "Paris",
        #"GEOGCS["Paris",DATUM["D_WGS_1984",SPHEROID["W",6378137,298.257223563]],PRIMEM["Paris",2.33722917],UNIT["Degree",0.0174532925199433]]"#
      ),
      (
        "Gon",
        #"GEOGCS["Gon",DATUM["D_WGS_1984",SPHEROID["W",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Grad",0.01570796326794897]]"#
      ),
      (
        "ETRS89",
        #"GEOGCS["ETRS89",DATUM["European_Terrestrial_Reference_System_1989",SPHEROID["GRS 1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]]"#
      ),
      (
        "Bessel",
        #"GEOGCS["Bessel",DATUM["D_WGS_1984",SPHEROID["B",6377397.155,299.1528128]],UNIT["degree",0.0174532925199433]]"#
      ),
      ("GEOGCS", "GEOGCS[1]"),
      (
        "W",
        #"GEODCRS["W",DATUM["World Geodetic System 1984",ELLIPSOID["W",6378137,298.257223563]],CS[Cartesian,3],LENGTHUNIT["metre",1]]"#
      ),
      ("a definition that is not well-known text", "EPSG:25832"),
      ("a definition that is not well-known text", String(repeating: "A[", count: 100_000)),
      ("a definition that is not well-known text", String(repeating: "A[", count: 33)),
    ])
  func `other reference systems are reported by name`(name: String, text: String) {
    #expect(ReferenceSystem(wellKnownText: text) == .other(name: name))
  }
}
