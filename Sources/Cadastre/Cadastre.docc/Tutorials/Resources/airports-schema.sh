cadastre schema airports.cadastre
# Airport
#   icao: string, primary key
#   iata: string, optional
#   name: string
#   city: string, optional
#   subd: string, optional
#   country: string, indexed
#   elevation: double
#   tz: string
#   lid: string, optional
#   location: Location, optional
# Location (embedded)
#   type: string
#   coordinates: list of double
