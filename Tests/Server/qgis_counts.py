"""Prints the numbers of features that QGIS reads from a collection of a server: `Scripts/check-server ogc --qgis` runs it.

    QT_QPA_PLATFORM=offscreen /usr/bin/python3 Tests/Server/qgis_counts.py ADDRESS COLLECTION [FILTER…]

A FILTER is an expression of QGIS, or west,south,east,north. The first number is that of all features. The interpreter is that of the system,
which has the modules of the package python3-qgis.
"""
import sys

from qgis.core import QgsApplication, QgsFeatureRequest, QgsRectangle, QgsVectorLayer

address, collection, *filters = sys.argv[1:]
application = QgsApplication([], False)
application.initQgis()
layer = QgsVectorLayer(f"url='{address}' typename='{collection}' pageSize='5000'", collection, "OAPIF")
if not layer.isValid():
    sys.exit(f"QGIS cannot open the collection {collection} of {address}")
print(sum(1 for _ in layer.getFeatures()))
for text in filters:
    try:
        request = QgsFeatureRequest(QgsRectangle(*map(float, text.split(","))))
    except ValueError:
        request = QgsFeatureRequest().setFilterExpression(text)
    print(sum(1 for _ in layer.getFeatures(request)))
# The layer ends before the application.
del layer
application.exitQgis()
