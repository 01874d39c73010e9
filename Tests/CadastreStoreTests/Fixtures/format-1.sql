CREATE TABLE "Part"("#key" INTEGER PRIMARY KEY, "text" TEXT, "numbers" INTEGER, "child" INTEGER, "children" INTEGER);
CREATE TABLE "Part.children"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Part.numbers"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Target"("#key" INTEGER PRIMARY KEY, "label" TEXT, "place" INTEGER, "place.longitude" REAL, "place.latitude" REAL, "place.altitude" REAL, "place.odd" TEXT);
CREATE TABLE "Thing"("#key" INTEGER PRIMARY KEY, "int" INTEGER, "int_list" INTEGER, "int_set" INTEGER, "int_map" INTEGER, "bool" INTEGER, "bool_list" INTEGER, "bool_set" INTEGER, "bool_map" INTEGER, "string" TEXT, "string_list" INTEGER, "string_set" INTEGER, "string_map" INTEGER, "data" BLOB, "data_list" INTEGER, "data_set" INTEGER, "data_map" INTEGER, "date" INTEGER, "date_list" INTEGER, "date_set" INTEGER, "date_map" INTEGER, "float" REAL, "float_list" INTEGER, "float_set" INTEGER, "float_map" INTEGER, "double" REAL, "double_list" INTEGER, "double_set" INTEGER, "double_map" INTEGER, "object_id" BLOB, "object_id_list" INTEGER, "object_id_set" INTEGER, "object_id_map" INTEGER, "decimal128" TEXT, "decimal128_list" INTEGER, "decimal128_set" INTEGER, "decimal128_map" INTEGER, "uuid" BLOB, "uuid_list" INTEGER, "uuid_set" INTEGER, "uuid_map" INTEGER, "geometry" BLOB, "geometry_list" INTEGER, "geometry_set" INTEGER, "geometry_map" INTEGER, "mixed", "mixed.type" TEXT, "mixed_list" INTEGER, "mixed_set" INTEGER, "mixed_map" INTEGER, "link" INTEGER, "link_list" INTEGER, "link_set" INTEGER, "link_map" INTEGER, "part" INTEGER, "part_list" INTEGER, "part_map" INTEGER, "site" INTEGER, "site.name" TEXT, "site.words" INTEGER, "site.part" INTEGER);
CREATE TABLE "Thing.bool_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.bool_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" INTEGER, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.bool_set"(owner INTEGER NOT NULL, "value" INTEGER);
CREATE TABLE "Thing.data_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" BLOB, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.data_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" BLOB, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.data_set"(owner INTEGER NOT NULL, "value" BLOB);
CREATE TABLE "Thing.date_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.date_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" INTEGER, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.date_set"(owner INTEGER NOT NULL, "value" INTEGER);
CREATE TABLE "Thing.decimal128_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" TEXT, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.decimal128_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" TEXT, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.decimal128_set"(owner INTEGER NOT NULL, "value" TEXT);
CREATE TABLE "Thing.double_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" REAL, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.double_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" REAL, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.double_set"(owner INTEGER NOT NULL, "value" REAL);
CREATE TABLE "Thing.float_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" REAL, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.float_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" REAL, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.float_set"(owner INTEGER NOT NULL, "value" REAL);
CREATE TABLE "Thing.geometry_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" BLOB, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.geometry_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" BLOB, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.geometry_set"(owner INTEGER NOT NULL, "value" BLOB);
CREATE TABLE "Thing.int_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.int_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" INTEGER, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.int_set"(owner INTEGER NOT NULL, "value" INTEGER);
CREATE TABLE "Thing.link_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.link_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" INTEGER, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.link_set"(owner INTEGER NOT NULL, "value" INTEGER);
CREATE TABLE "Thing.mixed_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value", "value.type" TEXT, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.mixed_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value", "value.type" TEXT, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.mixed_set"(owner INTEGER NOT NULL, "value", "value.type" TEXT);
CREATE TABLE "Thing.object_id_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" BLOB, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.object_id_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" BLOB, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.object_id_set"(owner INTEGER NOT NULL, "value" BLOB);
CREATE TABLE "Thing.part_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" INTEGER, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.part_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" INTEGER, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.site.words"(owner INTEGER NOT NULL, "value" TEXT);
CREATE TABLE "Thing.string_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" TEXT, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.string_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" TEXT, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.string_set"(owner INTEGER NOT NULL, "value" TEXT);
CREATE TABLE "Thing.uuid_list"(owner INTEGER NOT NULL, position INTEGER NOT NULL, "value" BLOB, PRIMARY KEY (owner, position)) WITHOUT ROWID;
CREATE TABLE "Thing.uuid_map"(owner INTEGER NOT NULL, key TEXT NOT NULL, "value" BLOB, PRIMARY KEY (owner, key)) WITHOUT ROWID;
CREATE TABLE "Thing.uuid_set"(owner INTEGER NOT NULL, "value" BLOB);
CREATE TABLE cadastre_class(
  name TEXT PRIMARY KEY, is_embedded INTEGER NOT NULL, table_name TEXT,
  next_key INTEGER NOT NULL, row_count INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE cadastre_property(
  class TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
  column_name TEXT NOT NULL, type TEXT NOT NULL, is_optional INTEGER NOT NULL,
  is_primary_key INTEGER NOT NULL, is_indexed INTEGER NOT NULL, collection TEXT,
  target TEXT, PRIMARY KEY (class, position)) WITHOUT ROWID;
CREATE TABLE cadastre_state(
  commit_version INTEGER NOT NULL, catalogue_version INTEGER NOT NULL,
  schema_version INTEGER NOT NULL);
CREATE VIRTUAL TABLE "rtree_Target.place" USING rtree("key", min_longitude, max_longitude, min_latitude, max_latitude);
CREATE VIRTUAL TABLE "rtree_Thing.geometry" USING rtree("key", min_longitude, max_longitude, min_latitude, max_latitude);
CREATE INDEX "index_Part.child" ON "Part"("child");
CREATE INDEX "index_Part.children.value" ON "Part.children"(value);
CREATE INDEX "index_Target.label" ON "Target"("label");
CREATE INDEX "index_Thing.bool_set.owner" ON "Thing.bool_set"(owner, value);
CREATE INDEX "index_Thing.data_set.owner" ON "Thing.data_set"(owner, value);
CREATE INDEX "index_Thing.date_set.owner" ON "Thing.date_set"(owner, value);
CREATE INDEX "index_Thing.decimal128_set.owner" ON "Thing.decimal128_set"(owner, value);
CREATE INDEX "index_Thing.double_set.owner" ON "Thing.double_set"(owner, value);
CREATE INDEX "index_Thing.float_set.owner" ON "Thing.float_set"(owner, value);
CREATE INDEX "index_Thing.geometry_set.owner" ON "Thing.geometry_set"(owner, value);
CREATE INDEX "index_Thing.int_set.owner" ON "Thing.int_set"(owner, value);
CREATE INDEX "index_Thing.link" ON "Thing"("link");
CREATE INDEX "index_Thing.link_list.value" ON "Thing.link_list"(value);
CREATE INDEX "index_Thing.link_map.value" ON "Thing.link_map"(value);
CREATE INDEX "index_Thing.link_set.owner" ON "Thing.link_set"(owner, value);
CREATE INDEX "index_Thing.link_set.value" ON "Thing.link_set"(value);
CREATE INDEX "index_Thing.mixed.object" ON "Thing"("mixed") WHERE substr("mixed.type", 1, 5) = 'link ';
CREATE INDEX "index_Thing.mixed_list.value.object" ON "Thing.mixed_list"("value") WHERE substr("value.type", 1, 5) = 'link ';
CREATE INDEX "index_Thing.mixed_map.value.object" ON "Thing.mixed_map"("value") WHERE substr("value.type", 1, 5) = 'link ';
CREATE INDEX "index_Thing.mixed_set.owner" ON "Thing.mixed_set"(owner, value);
CREATE INDEX "index_Thing.mixed_set.value.object" ON "Thing.mixed_set"("value") WHERE substr("value.type", 1, 5) = 'link ';
CREATE INDEX "index_Thing.object_id_set.owner" ON "Thing.object_id_set"(owner, value);
CREATE INDEX "index_Thing.part" ON "Thing"("part");
CREATE INDEX "index_Thing.part_list.value" ON "Thing.part_list"(value);
CREATE INDEX "index_Thing.part_map.value" ON "Thing.part_map"(value);
CREATE INDEX "index_Thing.site.part" ON "Thing"("site.part");
CREATE INDEX "index_Thing.site.words.owner" ON "Thing.site.words"(owner, value);
CREATE INDEX "index_Thing.string_set.owner" ON "Thing.string_set"(owner, value);
CREATE INDEX "index_Thing.uuid_set.owner" ON "Thing.uuid_set"(owner, value);
