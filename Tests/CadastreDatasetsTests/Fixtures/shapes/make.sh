#!/usr/bin/env bash
# Writes the Shapefiles and GeoPackages of the tests with ogr2ogr 3.6.2, and the features that GDAL reads from them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
rm -f ./*.shp ./*.dbf ./*.prj ./*.cpg ./*.gpkg ./*.geojsonl

convert() {  # format, file, options
  ogr2ogr -q -f "$@" places.csv -s_srs EPSG:4326 -oo X_POSSIBLE_NAMES=lon -oo Y_POSSIBLE_NAMES=lat \
    -oo KEEP_GEOM_COLUMNS=NO
}
wgs84=(-t_srs EPSG:4326)
lines=(-t_srs EPSG:4326 -where "lon != ''" -nlt LINESTRING -zfield height)

convert "ESRI Shapefile" points.shp "${wgs84[@]}" -lco ENCODING=UTF-8
convert "ESRI Shapefile" latin.shp "${wgs84[@]}" -nlt POINTZ -zfield height
convert "ESRI Shapefile" multi.shp "${wgs84[@]}" -nlt MULTIPOINT
convert "ESRI Shapefile" utm.shp -t_srs EPSG:32632 -where "name = 'Köln'"
printf 'id,WKT\n1,"LINESTRING(1 2,3 4)"\n' >lines.csv
ogr2ogr -q -f "ESRI Shapefile" lines.shp lines.csv -a_srs EPSG:4326
ogr2ogr -q -f GeoJSONSeq -lco COORDINATE_PRECISION=15 points.geojsonl points.shp

convert GPKG places.gpkg "${wgs84[@]}" -nlt POINTZ -zfield height
convert GPKG two.gpkg "${wgs84[@]}" -nln first
convert GPKG two.gpkg "${wgs84[@]}" -nln second -update
ogr2ogr -q -f GPKG two.gpkg lines.csv -a_srs EPSG:4326 -nlt LINESTRING -update
convert GPKG utm.gpkg -t_srs EPSG:32632 -where "name = 'Köln'"
printf 'id,WKT\n1,"POINT(-85 50)"\n' >nad83.csv
ogr2ogr -q -f "ESRI Shapefile" nad83.shp nad83.csv -a_srs EPSG:4269
ogr2ogr -q -f GPKG nad83.gpkg nad83.csv -a_srs EPSG:4269 -nlt POINT
rm -f ./*.shx latin.cpg lines.csv nad83.csv
