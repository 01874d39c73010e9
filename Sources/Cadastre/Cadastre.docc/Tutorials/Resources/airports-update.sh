cat > new.csv <<END
icao,iata,name,city,subd,country,elevation,lat,lon,tz,lid
XX01,,Test Field,Paris,,FR,400,48.9,2.4,Europe/Paris,
END
cadastre import new.csv --store airports.cadastre --into Airport --pk icao --upsert
