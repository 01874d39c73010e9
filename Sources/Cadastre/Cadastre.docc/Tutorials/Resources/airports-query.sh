cadastre query airports.cadastre Airport "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157) AND elevation > 300" --sort name --select icao,name,elevation
