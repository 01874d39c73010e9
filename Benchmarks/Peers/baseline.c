// The C baseline: the queries written by hand in C, on SQLite's R*Tree and GEOS, with all columns in memory.
//
//   cc -O3 -o baseline baseline.c $(pkg-config --cflags --libs sqlite3 geos) -lm
//   baseline DATA_FOLDER WORK_FOLDER
//
// It traverses the node blobs of the R*Tree and classifies the rectangle of each node as outside, inside or
// intersecting the region. A subtree inside the region is accepted without further tests; only the points of
// intersecting leaves have an exact test. Input is not validated: this is no library. Edges are straight in
// degrees, circles are on a sphere.
#define _GNU_SOURCE  // strcasestr
#include <geos_c.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static char *slurp(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) { perror(path); exit(1); }
  fseek(file, 0, SEEK_END);
  size_t size = ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  text[fread(text, 1, size, file)] = 0;
  fclose(file);
  return text;
}

// MARK: Places, as columns. Row i has the id i + 1.

enum { CATEGORIES = 64 };
static int count;
static char **names, *categories[CATEGORIES];
static int category_count;
static uint8_t *category;
static int64_t *population;
static double *rating, *longitude, *latitude, *unit;  // unit: x, y, z of each
static int *by_population, *by_name;                  // sorted rows, for the queries with an index

static const double DEGREE = M_PI / 180, EARTH_RADIUS = 6378100;

static int category_code(const char *name) {
  for (int code = 0; code < category_count; code++)
    if (!strcmp(categories[code], name)) return code;
  categories[category_count] = strdup(name);
  return category_count++;
}

static int population_descending(const void *a, const void *b) {
  int first = *(const int *)a, second = *(const int *)b;
  if (population[first] != population[second])
    return population[first] > population[second] ? -1 : 1;
  return first < second ? -1 : 1;
}

static int name_ascending(const void *a, const void *b) {
  return strcmp(names[*(const int *)a], names[*(const int *)b]);
}

static void to_unit(double lon, double lat, double vector[3]) {
  vector[0] = cos(lat * DEGREE) * cos(lon * DEGREE);
  vector[1] = cos(lat * DEGREE) * sin(lon * DEGREE);
  vector[2] = sin(lat * DEGREE);
}

static void read_places(const char *folder, int capacity) {
  char *line = strchr(slurp(folder, "places.csv"), '\n') + 1;
  names = malloc(capacity * sizeof *names);
  category = malloc(capacity);
  population = malloc(capacity * sizeof *population);
  rating = malloc(capacity * sizeof *rating);
  longitude = malloc(capacity * sizeof *longitude);
  latitude = malloc(capacity * sizeof *latitude);
  unit = malloc(3 * capacity * sizeof *unit);
  by_population = malloc(capacity * sizeof *by_population);
  by_name = malloc(capacity * sizeof *by_name);
  for (count = 0; count < capacity && *line; count++) {
    strsep(&line, ",");
    names[count] = strsep(&line, ",");
    category[count] = category_code(strsep(&line, ","));
    population[count] = atoll(strsep(&line, ","));
    rating[count] = strtod(strsep(&line, ","), NULL);
    longitude[count] = strtod(strsep(&line, ","), NULL);
    latitude[count] = strtod(strsep(&line, "\n"), NULL);
    to_unit(longitude[count], latitude[count], unit + 3 * count);
    by_population[count] = by_name[count] = count;
  }
  qsort(by_population, count, sizeof(int), population_descending);
  qsort(by_name, count, sizeof(int), name_ascending);
}

// MARK: Constants of the queries, parsed from the text of queries.json.

static char *constants;

// Returns the text after a key of a query, or NULL if the query does not have it.
static char *field(const char *name, const char *key) {
  char text[64];
  snprintf(text, sizeof text, "\"%s\": {", name);
  char *start = strstr(constants, text);
  if (!start) return NULL;
  char *end = strchr(start, '}');
  snprintf(text, sizeof text, "\"%s\":", key);
  char *value = strstr(start, text);
  return value && value < end ? value + strlen(text) : NULL;
}

// Reads the numbers of a field, ignoring brackets, and returns their count.
static int numbers(const char *name, const char *key, double *into, int capacity) {
  char *at = field(name, key);
  int depth = 0, read = 0;
  while (at && read < capacity) {
    at += strspn(at, " ,\n");
    if (*at == '[') depth++, at++;
    else if (*at == ']') { if (--depth == 0) break; at++; }
    else { into[read++] = strtod(at, &at); if (!depth) break; }
  }
  return read;
}

static double number(const char *name, const char *key) {
  double value = 0;
  numbers(name, key, &value, 1);
  return value;
}

static void string(const char *name, const char *key, char into[256]) {
  char *at = field(name, key);
  if (at) sscanf(at, " \"%255[^\"]\"", into);
}

// The constants of a query; missing ones are 0. They are read before the time measurement.
static struct {
  double center[2], meters, box[4], point[2], limit, stars;
  double people, minimum_people, maximum_people;
  char result[256], category[256], text[256];
  double ring[20000], keys[10000];
  int corners, key_count;
} query;

static void read_query(const char *name) {
  memset(&query, 0, sizeof query);
  numbers(name, "center", query.center, 2);
  query.meters = number(name, "meters");
  numbers(name, "box", query.box, 4);
  numbers(name, "point", query.point, 2);
  query.limit = number(name, "limit");
  query.stars = number(name, "ratingAbove");
  query.people = number(name, "populationAbove");
  query.minimum_people = number(name, "populationFrom");
  query.maximum_people = number(name, "populationTo");
  string(name, "result", query.result);
  string(name, "category", query.category);
  string(name, "name", query.text);
  string(name, "prefix", query.text);
  string(name, "contains", query.text);
  query.corners = numbers(name, "ring", query.ring, 20000) / 2;
  query.key_count = numbers(name, "keys", query.keys, 10000);
}

// MARK: Results.

static int64_t *hits;  // ids
static int hit_count;

static void hit(int row) { hits[hit_count++] = row + 1; }

// MARK: Regions: their relation to a rectangle, and the exact test of a place.

typedef struct { double west, east, south, north; } Rectangle;
typedef enum { OUTSIDE, INTERSECTS, INSIDE } Relation;

typedef struct Region {
  Relation (*relation)(const struct Region *, Rectangle);
  bool (*contains)(const struct Region *, int row);
  Rectangle box;                          // a box, or the bounds of a ring
  double center[2], vector[3], angle;     // a circle
  double cosine, haversine, angle_cosine; // cosine of the center's latitude; sin² of half the angle; cosine of the angle
  const GEOSPreparedGeometry *prepared;   // a polygon
  GEOSGeometry *polygon;
  double *ring;
  int corners, strips, *strip_start, *strip_edges;
} Region;

static bool box_contains(const Region *box, int row) {
  return longitude[row] >= box->box.west && longitude[row] <= box->box.east &&
         latitude[row] >= box->box.south && latitude[row] <= box->box.north;
}

static Relation box_relation(const Region *box, Rectangle r) {
  Rectangle b = box->box;
  if (r.west > b.east || r.east < b.west || r.south > b.north || r.north < b.south) return OUTSIDE;
  bool inside = r.west >= b.west && r.east <= b.east && r.south >= b.south && r.north <= b.north;
  return inside ? INSIDE : INTERSECTS;
}

static double shorter_arc(double degrees) {  // the shorter of the two arcs of a difference of longitudes
  degrees = fabs(degrees);
  return degrees > 180 ? 360 - degrees : degrees;
}

static double square(double x) { return x * x; }

// Computes bounds of the haversine of the distance from a point to a rectangle, from bounds of its terms.
static void haversines(const double center[2], double cosine, Rectangle r, double *low, double *high) {
  double west = r.west - center[0], east = r.east - center[0];
  double a = shorter_arc(west), b = shorter_arc(east);
  bool over = (west <= 0 && east >= 0) || east >= 360 || west <= -360;
  bool back = (west <= 180 && east >= 180) || (west <= -180 && east >= -180);
  double near = over ? 0 : fmin(a, b), far = back ? 180 : fmax(a, b);
  double below = center[1] - r.south, above = r.north - center[1];
  double up = fmax(0, fmax(-below, -above)), down = fmax(fabs(below), fabs(above));
  double s = cos(r.south * DEGREE), n = cos(r.north * DEGREE);
  double widest = r.south <= 0 && r.north >= 0 ? 1 : fmax(s, n);
  *low = square(sin(up * DEGREE / 2)) + cosine * fmin(s, n) * square(sin(near * DEGREE / 2));
  *high = square(sin(down * DEGREE / 2)) + cosine * widest * square(sin(far * DEGREE / 2));
}

static Relation circle_relation(const Region *circle, Rectangle r) {
  double low, high;
  haversines(circle->center, circle->cosine, r, &low, &high);
  // The margins cover rounding errors, which only lead to more exact tests.
  if (low > circle->haversine * (1 + 1e-12)) return OUTSIDE;
  return high < circle->haversine * (1 - 1e-12) ? INSIDE : INTERSECTS;
}

static bool circle_contains(const Region *circle, int row) {
  const double *a = circle->vector, *b = unit + 3 * row;
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] >= circle->angle_cosine;
}

static Relation polygon_relation(const Region *polygon, Rectangle r) {
  Relation bounds = box_relation(polygon, r);
  if (bounds == OUTSIDE) return OUTSIDE;
  GEOSGeometry *rectangle = GEOSGeom_createRectangle(r.west, r.south, r.east, r.north);
  Relation relation = OUTSIDE;
  if (GEOSPreparedIntersects(polygon->prepared, rectangle))
    relation = GEOSPreparedContains(polygon->prepared, rectangle) ? INSIDE : INTERSECTS;
  GEOSGeom_destroy(rectangle);
  return relation;
}

static int strip(const Region *polygon, double y) {
  double height = polygon->box.north - polygon->box.south;
  int index = (int)((y - polygon->box.south) / height * polygon->strips);
  return index < 0 ? 0 : index >= polygon->strips ? polygon->strips - 1 : index;
}

// Casts a ray to the east over the edges in the place's strip of latitudes.
static bool polygon_contains(const Region *polygon, int row) {
  if (!box_contains(polygon, row)) return false;
  double x = longitude[row], y = latitude[row];
  bool inside = false;
  int at = strip(polygon, y);
  for (int edge = polygon->strip_start[at]; edge < polygon->strip_start[at + 1]; edge++) {
    const double *a = polygon->ring + 2 * polygon->strip_edges[edge], *b = a + 2;
    if ((a[1] > y) != (b[1] > y) && a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]) > x)
      inside = !inside;
  }
  return inside;
}

static Region box_region(const double box[4]) {
  return (Region){.relation = box_relation, .contains = box_contains,
                  .box = {.west = box[0], .south = box[1], .east = box[2], .north = box[3]}};
}

static Region circle_region(const double center[2], double meters) {
  Region circle = {.relation = circle_relation, .contains = circle_contains,
                   .center = {center[0], center[1]}, .angle = meters / EARTH_RADIUS};
  circle.cosine = cos(circle.center[1] * DEGREE);
  circle.haversine = square(sin(circle.angle / 2));
  circle.angle_cosine = cos(circle.angle);
  to_unit(circle.center[0], circle.center[1], circle.vector);
  return circle;
}

static Region polygon_region(double *ring, int corners) {
  Region polygon = {.relation = polygon_relation, .contains = polygon_contains, .ring = ring,
                    .corners = corners, .box = {.west = 180, .east = -180, .south = 90, .north = -90}};
  GEOSCoordSequence *sequence = GEOSCoordSeq_create(corners, 2);
  for (int corner = 0; corner < corners; corner++) {
    double x = ring[2 * corner], y = ring[2 * corner + 1];
    GEOSCoordSeq_setXY(sequence, corner, x, y);
    polygon.box.west = fmin(polygon.box.west, x);
    polygon.box.east = fmax(polygon.box.east, x);
    polygon.box.south = fmin(polygon.box.south, y);
    polygon.box.north = fmax(polygon.box.north, y);
  }
  polygon.polygon = GEOSGeom_createPolygon(GEOSGeom_createLinearRing(sequence), NULL, 0);
  polygon.prepared = GEOSPrepare(polygon.polygon);
  // The first pass counts the edges of each strip, the second stores them contiguously.
  polygon.strips = corners;
  int *start = polygon.strip_start = calloc(polygon.strips + 2, sizeof *start);
  for (int filling = 0; filling < 2; filling++) {
    for (int edge = 0; edge + 1 < corners; edge++) {
      double a = ring[2 * edge + 1], b = ring[2 * edge + 3];
      for (int at = strip(&polygon, fmin(a, b)); at <= strip(&polygon, fmax(a, b)); at++) {
        if (filling) polygon.strip_edges[start[at + 1]++] = edge;
        else start[at + 2]++;
      }
    }
    if (filling) break;
    for (int at = 1; at < polygon.strips + 2; at++) start[at] += start[at - 1];
    polygon.strip_edges = malloc(start[polygon.strips + 1] * sizeof(int));
  }
  return polygon;
}

static void free_region(Region *region) {
  if (!region->polygon) return;
  GEOSPreparedGeom_destroy(region->prepared);
  GEOSGeom_destroy(region->polygon);
  free(region->strip_start);
  free(region->strip_edges);
}

// MARK: The store, and the nodes of its R*Tree (format: ext/rtree/rtree.c of SQLite).

static sqlite3 *store;
static sqlite3_stmt *read_node;

static void run(sqlite3 *database, const char *sql) {
  char *message;
  if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
  }
}

static sqlite3_stmt *prepared(sqlite3 *database, const char *sql) {
  sqlite3_stmt *statement = NULL;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database));
    exit(1);
  }
  return statement;
}

enum { NODE_BYTES = 1228, CELL_BYTES = 24, CELLS = (NODE_BYTES - 4) / CELL_BYTES, DEPTHS = 16 };

// Reads a node into the buffer of its level; the statement is reused for the levels below.
static const uint8_t *node(int64_t key, int level) {
  static uint8_t buffers[DEPTHS][NODE_BYTES];
  sqlite3_bind_int64(read_node, 1, key);
  sqlite3_step(read_node);
  memcpy(buffers[level], sqlite3_column_blob(read_node, 0), NODE_BYTES);
  sqlite3_reset(read_node);
  return buffers[level];
}

static int cells(const uint8_t *node) { return node[2] << 8 | node[3]; }

static int64_t cell_key(const uint8_t *node, int cell) {
  uint64_t key;
  memcpy(&key, node + 4 + cell * CELL_BYTES, 8);
  return __builtin_bswap64(key);
}

static Rectangle cell_rectangle(const uint8_t *node, int cell) {
  uint32_t word[4];
  float bound[4];
  memcpy(word, node + 12 + cell * CELL_BYTES, 16);
  for (int i = 0; i < 4; i++) word[i] = __builtin_bswap32(word[i]);
  memcpy(bound, word, 16);
  return (Rectangle){bound[0], bound[1], bound[2], bound[3]};
}

static int tree_depth;  // 0 if the root is a leaf

static void open_store(const char *work) {
  char path[4096];
  snprintf(path, sizeof path, "%s/baseline.sqlite", work);
  sqlite3_open(path, &store);
  run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -262144;"
             "PRAGMA mmap_size = 1073741824");
}

static void open_tree(void) {
  read_node = prepared(store, "SELECT data FROM spot_node WHERE nodeno = ?");
  const uint8_t *root = node(1, 0);
  tree_depth = root[0] << 8 | root[1];
}

// Finds the places of a region below a node; only counts them if wants_ids is false.
static void walk(const Region *region, int64_t key, int level, bool accepted, bool wants_ids) {
  const uint8_t *at = node(key, level);
  bool leaf = level == tree_depth;
  for (int cell = 0; cell < cells(at); cell++) {
    if (leaf) {
      int row = cell_key(at, cell) - 1;
      if (!accepted && !region->contains(region, row)) continue;
      if (wants_ids) hit(row);
      else hit_count++;
    } else {
      Relation relation = accepted ? INSIDE : region->relation(region, cell_rectangle(at, cell));
      if (relation != OUTSIDE)
        walk(region, cell_key(at, cell), level + 1, relation == INSIDE, wants_ids);
    }
  }
}

// MARK: Nearest neighbours: depth first, nearest child first, until no child can contain a nearer place.

typedef struct { double haversine; int64_t key; } Candidate;
static Candidate nearest[1000];
static int nearest_count, nearest_limit;

static int candidate_order(const void *a, const void *b) {
  const Candidate *first = a, *second = b;
  if (first->haversine != second->haversine) return first->haversine < second->haversine ? -1 : 1;
  return first->key < second->key ? -1 : first->key > second->key;
}

static void offer(Candidate candidate) {
  int rank = nearest_count < nearest_limit ? nearest_count++ : nearest_limit;
  while (rank > 0 && candidate_order(&candidate, &nearest[rank - 1]) < 0) {
    if (rank < nearest_limit) nearest[rank] = nearest[rank - 1];
    rank--;
  }
  if (rank < nearest_limit) nearest[rank] = candidate;
}

static void walk_nearest(const double center[2], double cosine, int64_t key, int level) {
  const uint8_t *at = node(key, level);
  Candidate children[CELLS];
  int children_count = cells(at);
  for (int cell = 0; cell < children_count; cell++) {
    double high;
    Rectangle r = cell_rectangle(at, cell);
    children[cell].key = cell_key(at, cell);
    if (level == tree_depth) {
      int row = children[cell].key - 1;
      r = (Rectangle){longitude[row], longitude[row], latitude[row], latitude[row]};
    }
    haversines(center, cosine, r, &children[cell].haversine, &high);
  }
  if (level == tree_depth) {
    for (int cell = 0; cell < children_count; cell++) {
      Candidate child = children[cell];
      // For a point the two bounds differ only by rounding.
      if (nearest_count < nearest_limit || candidate_order(&child, &nearest[nearest_limit - 1]) < 0)
        offer(child);
    }
    return;
  }
  qsort(children, children_count, sizeof *children, candidate_order);
  for (int cell = 0; cell < children_count; cell++) {
    if (nearest_count == nearest_limit &&
        children[cell].haversine > nearest[nearest_limit - 1].haversine) return;
    walk_nearest(center, cosine, children[cell].key, level + 1);
  }
}

// MARK: Building: places sorted into slices of longitude, then of latitude (Leutenegger and others, "STR", 1997).

typedef struct { int64_t key; float bound[4]; } Cell;

static int by_west(const void *a, const void *b) {
  float first = ((const Cell *)a)->bound[0], second = ((const Cell *)b)->bound[0];
  return (first > second) - (first < second);
}

static int by_south(const void *a, const void *b) {
  float first = ((const Cell *)a)->bound[2], second = ((const Cell *)b)->bound[2];
  return (first > second) - (first < second);
}

static float down(double x) { float f = x; return f > x ? nextafterf(f, -INFINITY) : f; }
static float up(double x) { float f = x; return f < x ? nextafterf(f, INFINITY) : f; }

static void put_cell(uint8_t *node, int slot, const Cell *cell) {
  uint64_t key = __builtin_bswap64(cell->key);
  uint32_t word[4];
  memcpy(word, cell->bound, 16);
  for (int i = 0; i < 4; i++) word[i] = __builtin_bswap32(word[i]);
  memcpy(node + 4 + slot * CELL_BYTES, &key, 8);
  memcpy(node + 12 + slot * CELL_BYTES, word, 16);
}

static void insert(sqlite3_stmt *statement, int64_t first, int64_t second) {
  sqlite3_bind_int64(statement, 1, first);
  sqlite3_bind_int64(statement, 2, second);
  sqlite3_step(statement);
  sqlite3_reset(statement);
}

// Writes the R*Tree of all places to its node tables and returns the seconds.
static double pack_tree(sqlite3 *database) {
  double start = now();
  run(database, "CREATE VIRTUAL TABLE spot USING rtree(id, west, east, south, north);"
                "DELETE FROM spot_node");
  sqlite3_stmt *put = prepared(database, "INSERT INTO spot_node(nodeno, data) VALUES (?, ?)");
  sqlite3_stmt *leaf = prepared(database, "INSERT INTO spot_rowid(rowid, nodeno) VALUES (?, ?)");
  sqlite3_stmt *parent = prepared(database, "INSERT INTO spot_parent(nodeno, parentnode) VALUES (?, ?)");
  Cell *level = malloc(count * sizeof *level);
  for (int row = 0; row < count; row++)
    level[row] = (Cell){row + 1, {down(longitude[row]), up(longitude[row]),
                                  down(latitude[row]), up(latitude[row])}};
  int64_t next = 2;  // the root is node 1
  int size = count;
  int64_t *node_of = malloc((count + 1) * sizeof *node_of);
  for (int depth = 0;; depth++) {
    bool root = size <= CELLS;
    int nodes = (size + CELLS - 1) / CELLS, slices = ceil(sqrt(nodes));
    int slice = (nodes + slices - 1) / slices * CELLS;
    qsort(level, size, sizeof *level, by_west);
    for (int from = 0; from < size; from += slice)
      qsort(level + from, size - from < slice ? size - from : slice, sizeof *level, by_south);
    int above = 0;
    for (int from = 0; from < size; from += CELLS, above++) {
      uint8_t data[NODE_BYTES] = {0};
      int inside = size - from < CELLS ? size - from : CELLS;
      int64_t key = root ? 1 : next++;
      Cell cover = {key, {INFINITY, -INFINITY, INFINITY, -INFINITY}};
      data[1] = root ? depth : 0;
      data[3] = inside;
      for (int i = 0; i < inside; i++) {
        Cell cell = level[from + i];
        put_cell(data, i, &cell);
        for (int b = 0; b < 4; b += 2) {
          cover.bound[b] = fminf(cover.bound[b], cell.bound[b]);
          cover.bound[b + 1] = fmaxf(cover.bound[b + 1], cell.bound[b + 1]);
        }
        if (depth == 0) node_of[cell.key] = key;
        else insert(parent, cell.key, key);
      }
      sqlite3_bind_int64(put, 1, key);
      sqlite3_bind_blob(put, 2, data, NODE_BYTES, SQLITE_STATIC);
      sqlite3_step(put);
      sqlite3_reset(put);
      level[above] = cover;
    }
    if (root) break;
    size = above;
  }
  // Inserted in key order, which is the order of the table.
  for (int id = 1; id <= count; id++) insert(leaf, id, node_of[id]);
  sqlite3_finalize(put);
  sqlite3_finalize(leaf);
  sqlite3_finalize(parent);
  free(level);
  free(node_of);
  return now() - start;
}

static sqlite3_stmt *place_insertion(sqlite3 *database) {
  return prepared(database, "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?)");
}

static void insert_place(sqlite3_stmt *statement, int64_t id, const char *name, const char *kind,
                         int64_t people, double stars, double x, double y) {
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 3, kind, -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 4, people);
  sqlite3_bind_double(statement, 5, stars);
  sqlite3_bind_double(statement, 6, x);
  sqlite3_bind_double(statement, 7, y);
  sqlite3_step(statement);
  sqlite3_reset(statement);
}

static void fill(sqlite3 *database) {
  run(database, "CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, category TEXT,"
                "population INTEGER, rating REAL, longitude REAL, latitude REAL)");
  sqlite3_stmt *statement = place_insertion(database);
  for (int row = 0; row < count; row++)
    insert_place(statement, row + 1, names[row], categories[category[row]], population[row],
                 rating[row], longitude[row], latitude[row]);
  sqlite3_finalize(statement);
}

static long file_size(const char *work) {
  char path[4096];
  struct stat status = {0};
  snprintf(path, sizeof path, "%s/baseline.sqlite", work);
  stat(path, &status);
  return status.st_size;
}

static void close_store(void) {
  sqlite3_finalize(read_node);
  read_node = NULL;
  sqlite3_close(store);
  store = NULL;
}

// Builds the rows and the R*Tree in one transaction and returns the seconds of the R*Tree.
static double build(const char *work) {
  char path[4096];
  close_store();
  const char *ends[] = {"", "-wal", "-shm"};
  for (int end = 0; end < 3; end++) {
    snprintf(path, sizeof path, "%s/baseline.sqlite%s", work, ends[end]);
    unlink(path);
  }
  open_store(work);
  run(store, "BEGIN");
  fill(store);
  double packing = pack_tree(store);
  run(store, "COMMIT");
  return packing;
}

static void write_task(const char *task, const char *work) {
  double start = now(), packing;
  if (!strcmp(task, "W1") || !strcmp(task, "W2")) {
    packing = build(work);
    double seconds = now() - start;
    run(store, "PRAGMA wal_checkpoint(TRUNCATE)");
    bool index = !strcmp(task, "W2");
    printf("{\"seconds\": %g, \"count\": %d, \"bytes\": %ld}\n", index ? packing : seconds, count,
           file_size(work));
    open_tree();
  } else if (!strcmp(task, "W3")) {
    run(store, "CREATE INDEX names ON place(name); CREATE INDEX populations ON place(population);"
               "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_stmt *place = place_insertion(store);
    sqlite3_stmt *spot = prepared(store, "INSERT INTO spot VALUES (?, ?, ?, 45, 45)");
    start = now();
    for (int new = 0; new < 500; new++) {
      double x = new / 100.0;
      run(store, "BEGIN IMMEDIATE");
      insert_place(place, count + 1 + new, "new", "category 3", new, 2.5, x, 45);
      sqlite3_bind_int64(spot, 1, count + 1 + new);
      sqlite3_bind_double(spot, 2, x);
      sqlite3_bind_double(spot, 3, x);
      sqlite3_step(spot);
      sqlite3_reset(spot);
      run(store, "COMMIT");
    }
    printf("{\"seconds\": %g, \"count\": 500, \"bytes\": null}\n", now() - start);
    sqlite3_finalize(place);
    sqlite3_finalize(spot);
    // The columns in memory do not contain the new rows, so the store is rebuilt.
    build(work);
    open_tree();
  } else {
    printf("{\"skip\": \"%s is not supported\"}\n", task);
  }
}

// MARK: Queries.

static double average;
static int64_t total;

static int lower_bound(const int *rows, bool (*before)(int, const void *), const void *bound) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (before(rows[middle], bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}

static bool has_more_people(int row, const void *bound) { return population[row] > *(const int64_t *)bound; }
static bool is_named_before(int row, const void *name) { return strcmp(names[row], name) < 0; }

static void find(Region region, bool wants_ids) {
  walk(&region, 1, 0, false, wants_ids);
  free_region(&region);
}

// Removes the hits of other categories, with fewer people or with fewer stars.
static void filter(int code, int64_t people, double stars) {
  int matches = 0;
  for (int i = 0; i < hit_count; i++) {
    int row = hits[i] - 1;
    if ((code < 0 || category[row] == code) && population[row] > people && rating[row] > stars)
      hits[matches++] = hits[i];
  }
  hit_count = matches;
}

// Runs a query completely; returns false for an unknown name.
static bool run_query(const char *name) {
  size_t length = strlen(query.text);
  hit_count = 0;
  if (!strcmp(name, "Q1") || !strcmp(name, "Q2") || !strcmp(name, "Q7") || !strcmp(name, "Q22")) {
    find(circle_region(query.center, query.meters), strcmp(name, "Q22"));
    if (!strcmp(name, "Q7")) filter(category_code(query.category), query.people, -1);
  } else if (!strcmp(name, "Q3") || !strcmp(name, "Q6") || !strcmp(name, "Q21")) {
    find(box_region(query.box), true);
    if (!strcmp(name, "Q21")) filter(-1, -1, query.stars);
  } else if (!strcmp(name, "Q4") || !strcmp(name, "Q5")) {
    find(polygon_region(query.ring, query.corners), true);
  } else if (!strcmp(name, "Q8")) {
    int64_t people = query.people;
    for (int row = 0; row < count; row++) {
      hits[hit_count] = row + 1;
      hit_count += population[row] > people;
    }
  } else if (!strcmp(name, "Q9")) {
    int64_t maximum = query.maximum_people, minimum = query.minimum_people;
    for (int i = lower_bound(by_population, has_more_people, &maximum);
         i < count && population[by_population[i]] >= minimum; i++) hit(by_population[i]);
  } else if (!strcmp(name, "Q10")) {
    for (int row = 0; row < count; row++) if (!strcmp(names[row], query.text)) hit(row);
  } else if (!strcmp(name, "Q11")) {
    for (int row = 0; row < count; row++) if (!strncmp(names[row], query.text, length)) hit(row);
  } else if (!strcmp(name, "Q11i")) {
    for (int i = lower_bound(by_name, is_named_before, query.text);
         i < count && !strncmp(names[by_name[i]], query.text, length); i++) hit(by_name[i]);
  } else if (!strcmp(name, "Q12")) {
    for (int row = 0; row < count; row++) if (strcasestr(names[row], query.text)) hit(row);
  } else if (!strcmp(name, "Q13")) {
    // A sorted list of the best rows so far; few rows replace its last entry.
    static int best[1000];
    int limit = query.limit, listed = 0;
    for (int row = 0; row < count; row++) {
      if (listed == limit && population[row] <= population[best[limit - 1]]) continue;
      int at = listed < limit ? listed++ : limit - 1;
      for (; at > 0 && population[best[at - 1]] < population[row]; at--) best[at] = best[at - 1];
      best[at] = row;
    }
    for (int i = 0; i < listed; i++) hit(best[i]);
  } else if (!strcmp(name, "Q13i")) {
    for (int i = 0; i < query.limit && i < count; i++) hit(by_population[i]);
  } else if (!strcmp(name, "Q14")) {
    int code = category_code(query.category);
    double sum = 0;
    for (int row = 0; row < count; row++)
      if (category[row] == code) { sum += rating[row]; hit_count++; }
    average = sum / hit_count;
  } else if (!strcmp(name, "Q15")) {
    nearest_limit = query.limit;
    nearest_count = 0;
    walk_nearest(query.center, cos(query.center[1] * DEGREE), 1, 0);
    for (int i = 0; i < nearest_count; i++) hit(nearest[i].key - 1);
  } else if (!strcmp(name, "Q16")) {
    double x = query.point[0], y = query.point[1];
    find(box_region((double[]){x, y, x, y}), true);
  } else if (!strcmp(name, "Q18")) {
    for (int code = 0; code < category_count; code++)
      if (memchr(category, code, count)) hit(code);
    total = 0;
    for (int i = 0; i < hit_count; i++)
      for (const char *c = categories[hits[i] - 1]; *c; c++) total += (uint8_t)*c;
  } else if (!strcmp(name, "Q19")) {
    total = 0;
    for (int row = 0; row < count; row++) total += population[row];
    hit_count = count;
  } else if (!strcmp(name, "Q20")) {
    hit_count = query.key_count;
    total = 0;
    for (int i = 0; i < hit_count; i++) total += population[(int)query.keys[i] - 1];
  } else {
    return false;
  }
  return true;
}

// Prints the hits and their sum as the query's "result" requires.
static void print_result(void) {
  const char *kind = query.result;
  uint64_t sum = 0;
  if (!strcmp(kind, "number")) {
    printf("\"hits\": 1, \"sum\": \"%.17g\"}\n", average);
    return;
  }
  if (!strcmp(kind, "count")) sum = hit_count;
  else if (!strcmp(kind, "total") || !strcmp(kind, "values")) sum = total;
  else
    for (int i = 0; i < hit_count; i++)
      sum += (uint64_t)hits[i] * (strcmp(kind, "ids") ? i + 1 : 1);
  printf("\"hits\": %d, \"sum\": \"%llu\"}\n", hit_count, (unsigned long long)sum);
}

static void measure(char *name, int runs) {
  if (strcmp(name, "Q17") == 0) {
    printf("{\"skip\": \"no baseline for a sort\"}\n");
    return;
  }
  double times[1000];
  if (runs > 1000) runs = 1000;
  read_query(name);
  // Each query runs in one transaction, so all its reads use one snapshot.
  for (int i = 0; i < runs; i++) {
    double start = now();
    run(store, "BEGIN");
    bool known = run_query(name);
    run(store, "COMMIT");
    times[i] = (now() - start) * 1000;
    if (!known) {
      printf("{\"skip\": \"%s is unknown\"}\n", name);
      return;
    }
  }
  printf("{\"ms\": [");
  for (int i = 0; i < runs; i++) printf("%s%.6f", i ? ", " : "", times[i]);
  printf("], ");
  print_result();
}

static void quiet(const char *format, ...) { (void)format; }

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s DATA_FOLDER WORK_FOLDER\n", argv[0]);
    return 2;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  initGEOS(quiet, quiet);
  constants = slurp(argv[1], "queries.json");
  int capacity = atoi(strstr(constants, "\"count\":") + 8);
  read_places(argv[1], capacity);
  hits = malloc((count + 1) * sizeof *hits);
  printf("{\"engine\": \"baseline\", \"version\": \"SQLite %s, GEOS %s\", \"threads\": 1, \"edges\": "
         "[\"planar\"], \"note\": \"the same work written by hand in C, columns in memory: a lower bound\"}\n",
         sqlite3_libversion(), GEOSversion());
  char line[256], first[64], second[64];
  while (fgets(line, sizeof line, stdin)) {
    int runs = 1, words = sscanf(line, "%63s %63s %d", first, second, &runs);
    if (words < 1) continue;
    if (!strcmp(first, "quit")) break;
    double start = now();
    if (!strcmp(first, "load")) {
      double packing = build(argv[2]);
      run(store, "PRAGMA wal_checkpoint(TRUNCATE)");
      open_tree();
      printf("{\"seconds\": %g, \"indexSeconds\": %g, \"bytes\": %ld}\n", now() - start, packing,
             file_size(argv[2]));
    } else if (!strcmp(first, "open")) {
      open_store(argv[2]);
      open_tree();
      printf("{\"seconds\": %g}\n", now() - start);
    } else if (!strcmp(first, "query") && words >= 2) {
      size_t length = strlen(second);
      if (second[length - 1] == 'p') second[length - 1] = 0;
      measure(second, runs);
    } else if (!strcmp(first, "write") && words >= 2) {
      write_task(second, argv[2]);
    } else {
      printf("{\"skip\": \"%s is not supported\"}\n", first);
    }
  }
  return 0;
}
