#!/usr/bin/env python3
"""Expected results of typical operations on the Realm files, computed from their JSON alone."""
import copy, gzip, json, os, re, struct, sys
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 34
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = (sys.argv[1] if len(sys.argv) > 1
          else os.path.join(HERE, '../../CadastreRealmFileTests/Fixtures'))

# ---- values -------------------------------------------------------------------------------------
class Oid(str): pass
class Uid(str): pass
class Bin(str): pass       # base64
class Date(tuple): pass    # (seconds, nanoseconds), both with the same sign
class Ref:                 # a link to a row
    def __init__(self, table, key): self.table, self.key = table, key
    def __eq__(self, o): return isinstance(o, Ref) and (self.table, self.key) == (o.table, o.key)
    def __hash__(self): return hash((self.table, self.key))
class Mixed:               # a value with its type: scalar, Ref, list or dict
    def __init__(self, t, v): self.t, self.v = t, v

def decode(v, t, target=None):
    if v is None: return None
    if t == 'int': return int(v)
    if t in ('bool', 'string'): return v
    if t == 'data': return Bin(v)
    if t == 'date': return Date((int(v[0]), int(v[1])))
    if t == 'float': return struct.unpack('>f', bytes.fromhex(v))[0]
    if t == 'double': return struct.unpack('>d', bytes.fromhex(v))[0]
    if t == 'decimal': return Decimal(v[0])
    if t == 'objectId': return Oid(v)
    if t == 'uuid': return Uid(v)
    if t == 'link': return Ref(target, v)
    if t == 'mixed':
        if v['t'] == 'list': return Mixed('list', [decode(x, 'mixed') for x in v['v']])
        if v['t'] == 'dict': return Mixed('dict', {k: decode(x, 'mixed') for k, x in v['v']})
        if v['t'] == 'link': return Mixed('link', Ref(*v['v']))
        return Mixed(v['t'], decode(v['v'], v['t']))
    raise ValueError(t)

class Table:
    def __init__(self, j):
        self.name, self.kind, self.pk = j['name'], j['kind'], j['primaryKey']
        self.columns = {c['name']: c for c in j['columns']}
        self.rows = {}
        for o in j['objects']:
            row = {}
            for c, v in zip(j['columns'], o[1:]):
                d = lambda x: decode(x, c['type'], c['target'])
                row[c['name']] = ({k: d(x) for k, x in v} if c['collection'] == 'dictionary'
                                  else d(v) if c['collection'] == 'none' else [d(x) for x in v])
            self.rows[o[0]] = row

class File:
    def __init__(self, name):
        p = f'{FOLDER}/{name}.json'
        self.json = json.load(open(p) if os.path.exists(p) else gzip.open(p + '.gz', 'rt'))
        self.tables = {t['name']: Table(t) for t in self.json['tables'] if t['name'].startswith('class_')}
    def table(self, c): return self.tables['class_' + c]
    def row(self, ref): return self.tables[ref.table].rows.get(ref.key) if ref else None
    def links(self, cls, prop, table, key):
        """The rows of `cls` that link to a row, once for each link."""
        out = []
        for k, r in self.table(cls).rows.items():
            v = r[prop]
            vs = v.values() if isinstance(v, dict) else v if isinstance(v, list) else [v]
            out += [(k, r) for x in vs if x == Ref(table, key)]
        return out

# ---- predicates ---------------------------------------------------------------------------------
TOKEN = re.compile(r"""\s*(?:(?P<date>T-?\d+:-?\d+)|(?P<lit>(?:oid|uuid|decimal)\([^)]*\))|(?P<b64>binary\(B64"[^"]*"\))
 |(?P<str>'(?:[^'])*')|(?P<num>-?\d+(?:\.\d+)?(?:[eE]-?\d+)?)|(?P<op>==|!=|<=|>=|<|>)|(?P<punct>[(){},])
 |(?P<path>@?[A-Za-z_]\w*(?:\.@?\w+|\[(?:\d+|'[^']*')\])*(?:\[c\])?))""", re.X)

class Parser:
    def __init__(self, f, text, names=()):
        # %K denotes the name of a property: `any` is a keyword, too.
        for n in names: text = text.replace('%K', '@K' + n, 1)
        self.f, self.tok, i, text = f, [], 0, text.rstrip()
        while i < len(text):
            m = TOKEN.match(text, i)
            if not m: raise ValueError(f'{text!r} at {i}')
            self.tok.append((m.lastgroup, m.group(m.lastgroup))); i = m.end()
        self.i = 0
    def peek(self): return self.tok[self.i] if self.i < len(self.tok) else (None, '')
    def next(self): self.i += 1; return self.tok[self.i - 1]
    def word(self, *w):
        if self.peek()[0] == 'path' and self.peek()[1].upper() in w: return self.next()[1].upper()
    def expect(self, s): t = self.next()[1]; assert t == s, (t, s)
    def parse(self):
        p = self.either(); assert self.i == len(self.tok), self.tok[self.i:]; return p
    def either(self):
        p = [self.both()]
        while self.word('OR'): p.append(self.both())
        return lambda t, k: any(q(t, k) for q in p)
    def both(self):
        p = [self.unit()]
        while self.word('AND'): p.append(self.unit())
        return lambda t, k: all(q(t, k) for q in p)
    def unit(self):
        if self.word('NOT'):
            p = self.unit(); return lambda t, k: not p(t, k)
        if self.peek() == ('punct', '('):
            self.next(); p = self.either(); self.expect(')'); return p
        q = self.word('ANY', 'ALL', 'NONE')
        path = steps(self.next()[1].removeprefix('@K'))
        op = self.next()[1].upper(); fold = op.endswith('[C]'); op = op.replace('[C]', '')
        c = self.constant()
        test = lambda v: compare(v, op, c, fold)
        f = self.f
        def run(t, k):
            vs, many = walk(f, t, k, path)
            assert many == (q is not None), f'quantifier: {path}'
            return all(map(test, vs)) if q == 'ALL' else not any(map(test, vs)) if q == 'NONE' else any(map(test, vs))
        return run
    def constant(self):
        g, s = self.next()
        if s == '{':
            out = [self.constant()]
            while self.peek()[1] == ',': self.next(); out.append(self.constant())
            self.expect('}'); return out
        if g == 'str': return s[1:-1]
        if g == 'num': return int(s) if re.fullmatch(r'-?\d+', s) else float(s)
        if g == 'date': a, b = s[1:].split(':'); return Date((int(a), int(b)))
        if g == 'b64': return Bin(s[len('binary(B64"'):-2])
        if g == 'lit':
            n, v = s[:-1].split('('); return {'oid': Oid, 'uuid': Uid, 'decimal': Decimal}[n](v)
        return {'TRUE': True, 'FALSE': False, 'NIL': None, 'NULL': None}[s.upper()]

def steps(path):
    out = []
    for m in re.finditer(r"(@?\w+)|\[(\d+)\]|\['([^']*)'\]", path):
        out.append(m[1] if m[1] else int(m[2]) if m[2] else ('key', m[3]))
    return out

def walk(f, table, key, path):
    """The values of a path, and whether it leads through a collection."""
    cur, many, i = [Ref(table, key)], False, 0
    coll = None        # the collections at this point, one for each current value
    while i < len(path):
        s = path[i]; i += 1
        if s == '@links':
            cls, prop = path[i:i + 2]; i += 2; table = 'class_' + cls
            coll = [[Ref('class_' + cls, k) for k, _ in f.links(cls, prop, r.table, r.key)] for r in cur]
            continue
        if isinstance(s, str) and s.startswith('@'):
            if s == '@type': cur = [('null' if v is None else v.t) for v in cur]; continue
            agg = [list(c.values()) if isinstance(c, dict) else c for c in coll]
            if s == '@keys': coll = [list(c) for c in coll]; continue
            assert len(agg) == 1
            if s == '@count': cur, coll = [len(agg[0])], None; continue
            vs = agg[0]
            if i < len(path): vs = [f.row(r)[path[i]] for r in vs]; i += 1
            vs = [v for v in vs if v is not None]
            cur = [{'@sum': sum, '@min': lambda x: min(x, default=None), '@max': lambda x: max(x, default=None),
                    '@avg': lambda x: sum(x) / len(x) if x else None}[s](vs)]
            coll = None; continue
        if isinstance(s, (int, tuple)):
            if coll is not None:
                cur = [(c.get(s[1]) if isinstance(s, tuple) else c[s] if s < len(c) else None) for c in coll]; coll = None
            else:
                cur = [m.v.get(s[1]) if isinstance(s, tuple) and m and m.t == 'dict'
                       else m.v[s] if isinstance(s, int) and m and m.t == 'list' and s < len(m.v) else None for m in cur]
            continue
        if coll is not None:
            cur = [v for c in coll for v in (c.values() if isinstance(c, dict) else c)]; many, coll = True, None
        column = f.tables[table].columns[s]
        isc, table = column['collection'] != 'none', column['target']
        rows = [f.row(r) for r in cur]
        vals = [None if row is None else row[s] for row in rows]
        if isc: coll = [v if v is not None else [] for v in vals]; cur = None
        else: cur = vals     # behind a null link everything is null
    if coll is not None:
        cur = [v for c in coll for v in (c.values() if isinstance(c, dict) else c)]; many = True
    return cur, many

NUM = (int, float, Decimal)
def family(v):
    if isinstance(v, bool): return 'bool'
    if isinstance(v, NUM): return 'num'
    return type(v).__name__
def bare(v): return v.v if isinstance(v, Mixed) else v
def isnan(v): return isinstance(v, (float, Decimal)) and v != v
def compare(v, op, c, fold=False):
    v = bare(v)
    if op == 'IN': return any(compare(v, '==', x) for x in c)
    if op == 'BETWEEN': return compare(v, '>=', c[0]) and compare(v, '<=', c[1])
    if op in ('==', '!='):
        eq = (v is None and c is None) or (v is not None and c is not None and family(v) == family(c) and v == c)
        return eq == (op == '==')
    if v is None or c is None or family(v) != family(c) or isnan(v): return False
    if op in ('BEGINSWITH', 'ENDSWITH', 'CONTAINS'):
        if fold: v, c = v.casefold(), c.casefold()
        return v.startswith(c) if op == 'BEGINSWITH' else v.endswith(c) if op == 'ENDSWITH' else c in v
    assert family(v) in ('num', 'Date'), (v, op, c)
    return {'<': v < c, '<=': v <= c, '>': v > c, '>=': v >= c}[op]

def select(f, cls, predicate, arguments=()):
    t = f.table(cls)
    if predicate is None: return list(t.rows)
    p = Parser(f, predicate, list(arguments)).parse()
    return [k for k in t.rows if p(t.name, k)]

# ---- results ------------------------------------------------------------------------------------
def show(f, v):
    """A value as JSON; a link as the identity of its object."""
    if isinstance(v, Mixed):
        if v.t == 'list': return {'t': 'list', 'v': [show(f, x) for x in v.v]}
        if v.t == 'dict': return {'t': 'dict', 'v': [[k, show(f, x)] for k, x in sorted(v.v.items())]}
        if v.t == 'link': return {'t': 'link', 'v': [v.v.table[6:], show(f, v.v)]}
        return {'t': v.t, 'v': show(f, v.v)}
    if isinstance(v, Date): return list(v)
    if isinstance(v, Decimal): return str(v).replace('E+', 'E')
    if isinstance(v, Ref):
        if f.tables[v.table].kind == 'embedded':
            return {n: show(f, x) for n, x in f.row(v).items()}
        return show(f, f.row(v)[identity(f, v.table[6:])])
    if isinstance(v, list): return [show(f, x) for x in v]
    if isinstance(v, dict): return [[k, show(f, x)] for k, x in sorted(v.items(), key=lambda e: e[0].encode())]
    if isinstance(v, float): assert abs(v) != float('inf') and v == v
    return v

IDENTITY = {('links', 'Dog'): 'name', ('objectstore', 'Pet'): 'age', ('versions', 'Note'): 'rev', ('tiny', 'Pet'): 'age',
            ('deep', 'Tiny'): 'v', ('deep', 'Sparse'): 'v', ('spread', 'Spread'): 'v', ('types', 'MixAll'): 'v'}
def identity(f, cls): return f.table(cls).pk or IDENTITY.get((f.name, cls))

def order(v):
    v = bare(v)
    if v is None: return (0, 0)
    if isnan(v): return (1, 0)
    return (2, v.encode() if isinstance(v, str) else v)

def single(f, cls, obj):
    if isinstance(obj, int): return list(f.table(cls).rows)[obj]
    ks = select(f, cls, obj); assert len(ks) == 1, (cls, obj, len(ks)); return ks[0]

def number(vs, kind):
    """Aggregates; the result of the addition has to be exact."""
    vs = [v for v in vs if v is not None]
    if kind in ('min', 'max'): return (min if kind == 'min' else max)(vs)
    s = sum(vs)
    if isinstance(s, float): assert Fraction(s) == sum(map(Fraction, vs))
    if kind == 'sum': return s
    if isinstance(s, Decimal): q = s / len(vs); assert q * len(vs) == s; return q
    return s / len(vs)

def collection(f, op, v):
    """The content of a list, set or map as an operation shows it."""
    if 'aggregate' in op:
        return len(v) if op['aggregate'] == 'count' else show(f, number(v, op['aggregate']))
    if 'at' in op: return [show(f, v[i]) for i in op['at']]
    if 'keys' in op: return [show(f, v.get(k)) for k in op['keys']]
    if 'tail' in op: return {'count': len(v), 'last': show(f, v[-op['tail']:])}
    if op.get('kind') == 'set': return sorted((show(f, x) for x in v), key=lambda x: order(tuple(x) if isinstance(x, list) else x))
    return show(f, v)

def report(f, op, keys):
    p = op['report']; return [show(f, f.table(op['class']).rows[k][p]) for k in keys]

def check(f, op):
    """Computes the expectation of an operation that reads."""
    kind, cls = op['kind'], op.get('class')
    if kind == 'count' and cls is None:
        return {'classes': len(f.tables), 'objects': sum(len(t.rows) for t in f.tables.values())}
    if kind in ('list', 'set', 'map'):
        return collection(f, op, f.table(cls).rows[single(f, cls, op['object'])][op['property']])
    if kind == 'primaryKey':
        for r in f.table(cls).rows.values():
            if show(f, r[f.table(cls).pk]) == op['key']:
                return {n: show(f, r[n]) for n in op['properties']}
        return None
    if kind == 'backlinks':
        k = single(f, cls, op['object']); a, p = op['from']
        return [show(f, r[identity(f, a)]) for _, r in f.links(a, p, 'class_' + cls, k)]
    if kind == 'mixed' and 'steps' in op:
        v = f.table(cls).rows[single(f, cls, op['object'])][op['property']]
        for s in op['steps']: v = v.v[s]
        return show(f, v)
    keys = select(f, cls, op.get('predicate'), op.get('arguments', ()))
    rows = [f.table(cls).rows[k] for k in keys]
    if kind in ('min', 'max', 'sum', 'average') or 'aggregate' in op:
        return show(f, number([r[op['property']] for r in rows], op.get('aggregate', kind)))
    if kind == 'distinct':
        vs = {json.dumps(show(f, r[op['property']])): r[op['property']] for r in rows}
        return [show(f, v) for v in sorted(vs.values(), key=order)]
    if kind == 'sort':
        for d in reversed(op['sort']):
            keys.sort(key=lambda k: order(walk(f, 'class_' + cls, k, steps(d[0]))[0][0]), reverse=d[1] == 'desc')
        return report(f, op, keys[:op['limit']])
    if 'path' in op:    # link, embedded: [identity, value behind the path]
        out = []
        for k in keys:
            vs, many = walk(f, 'class_' + cls, k, steps(op['path']))
            out.append([show(f, f.table(cls).rows[k][op['report']]), show(f, vs if many else vs[0])])
        return out
    if 'report' in op: return report(f, op, keys)
    return len(keys)

def remove(f, table, keys):
    """Deletes rows with their embedded objects, and the links to them."""
    gone = set()
    def go(t, k):
        gone.add(Ref(t, k))
        for n, v in f.tables[t].rows[k].items():
            for x in (v.values() if isinstance(v, dict) else v if isinstance(v, list) else [v]):
                if isinstance(x, Ref) and f.tables[x.table].kind == 'embedded': go(x.table, x.key)
    for k in keys: go(table, k)
    for r in gone: del f.tables[r.table].rows[r.key]
    hit = lambda v: (v.v if isinstance(v, Mixed) and v.t == 'link' else v) in gone if isinstance(v, (Ref, Mixed)) and not (isinstance(v, Mixed) and v.t != 'link') else False
    for t in f.tables.values():
        for r in t.rows.values():
            for n, v in r.items():
                if isinstance(v, list):
                    if any(map(hit, v)): r[n] = ([None if hit(x) else x for x in v] if t.columns[n]['type'] == 'mixed' else [x for x in v if not hit(x)])
                elif isinstance(v, dict): r[n] = {k: None if hit(x) else x for k, x in v.items()}
                elif hit(v): r[n] = None

def find(f, cls, ident):
    return [Ref('class_' + cls, k) for k, r in f.table(cls).rows.items() if show(f, r[identity(f, cls)]) == ident]

def write(f, op):
    """Applies a write to a copy and computes the expectations of its checks."""
    t = f.table(op['class']); kind = op['kind']
    if kind == 'append':
        row, c = t.rows[single(f, op['class'], op['object'])], t.columns[op['property']]
        for v in op['values']:
            if c['type'] == 'link':
                m = find(f, c['target'][6:], v); assert len(m) == 1; row[op['property']].append(m[0])
            else: row[op['property']].append(v)
        op['expected'] = collection(f, op, row[op['property']])
    else:
        keys = select(f, op['class'], op['predicate'])
        if kind == 'update':
            for k in keys:
                for n, v in op['set'].items():
                    c = t.columns[n]
                    t.rows[k][n] = find(f, c['target'][6:], v)[0] if c['type'] == 'link' and v is not None else Date(v) if c['type'] == 'date' and v else v
        else: remove(f, t.name, keys)
        op['expected'] = len(keys)
    for c in op.get('checks', []): c['expected'] = check(f, c)

# ---- operations ---------------------------------------------------------------------------------
OPS = []
def op(file, name, cls, kind, **k):
    OPS.append({'file': file, 'name': name, 'class': cls, 'kind': kind, **k})
def C(cls, predicate=None, **k):
    d = {'kind': 'count', 'class': cls, **k}
    if predicate: d['predicate'] = predicate
    return d

for n in ('empty-new', 'empty-notables', 'empty-schema'): op(n, 'nothing', None, 'count')

F = 'tiny'
op(F, 'nameless', 'Pet', 'nulls', predicate='name == nil', report='age')
op(F, 'birthday', 'Pet', 'update', predicate="name == 'Rex'", set={'age': 8}, checks=[C('Pet', 'age == 8'), {'kind': 'sum', 'class': 'Pet', 'property': 'age'}])

F = 'versions'
op(F, 'edited-recent', 'Note', 'count', predicate="text BEGINSWITH 'edited' AND rev > 20")
op(F, 'texts', 'Note', 'distinct', property='text', predicate="text BEGINSWITH 'edited 1' OR rev == 0")
op(F, 'average-rev', 'Note', 'average', property='rev', predicate="text CONTAINS 'note 2'")
op(F, 'delete-edited', 'Note', 'delete', predicate="text IN {'edited 22', 'edited 23', 'edited 24'} AND rev BETWEEN {5, 20}",
   checks=[C('Note'), C('Note', "text == 'edited 23'"), {'kind': 'min', 'class': 'Note', 'property': 'rev', 'predicate': "text BEGINSWITH 'note'"}])

F = 'objectstore'
op(F, 'person', 'Person', 'primaryKey', key='650000000000000000000003', properties=['name', 'born', 'score', 'tags', 'any', 'bio'])
op(F, 'tagged', 'Person', 'filter', predicate="ANY tags IN {'tag1', 'tag4'}", report='_id')
op(F, 'price-average', 'Pet', 'average', property='price', predicate='age < 8')
op(F, 'born-range', 'Person', 'dates', predicate='born >= T100000000:500000000 AND born < T500000000:500000000', report='_id')
op(F, 'homes', 'Person', 'embedded', predicate='home.geo.coordinates[0] > 12', path='home.street', report='_id')
op(F, 'append-pets', 'Person', 'append', object="name == 'Person 2'", property='pets', values=[9, 4], checks=[
    C('Person', 'ANY pets.age == 4'), C('Person', 'pets.@count >= 2')])
op(F, 'delete-pets', 'Pet', 'delete', predicate='age IN {0, 2, 5, 8}', checks=[
    C('Pet'), C('Person', 'pets.@count == 0'), C('Person', '%K == nil', arguments=['any']),
    {'kind': 'list', 'class': 'Person', 'object': "name == 'Person 2'", 'property': 'pets'}])

F = 'links'
op(F, 'owners', 'Dog', 'link', predicate='age == 3', path='owner.best.name', report='name')
op(F, 'befriended-by', 'Person', 'backlinks', object="name == 'person 9'", **{'from': ['Person', 'friends']})
op(F, 'danes', 'Person', 'embedded', predicate="home.country.code == 'DK' AND home.nr != nil", path='home.nr', report='name')
op(F, 'dogs-by-name', 'Person', 'map', object="name == 'person 8'", property='dogsByName')
op(F, 'favourite-set', 'Person', 'set', object="name == 'person 14'", property='favourites')
op(F, 'friends-with-old-dogs', 'Person', 'count', predicate='ANY friends.dogs.age > 12')
op(F, 'home-without-number', 'Person', 'nulls', predicate='home != nil AND home.nr == nil', report='name')
op(F, 'weights', 'Dog', 'sum', property='weight', predicate='owner != nil AND age BETWEEN {2, 12}')
op(F, 'by-owner', 'Dog', 'sort', predicate='owner != nil', sort=[['age', 'desc'], ['owner.name', 'asc']], report='name', limit=8)
op(F, 'delete-dogs', 'Dog', 'delete', predicate='age IN {3, 9, 12}', checks=[
    C('Dog'), C('Person', 'ANY favourites.age > 10'), C('Person', '%K == nil', arguments=['any']), C('Person', 'dogs.@count == 0'),
    {'kind': 'list', 'class': 'Person', 'object': "name == 'person 39'", 'property': 'dogs'},
    {'kind': 'map', 'class': 'Person', 'object': "name == 'person 8'", 'property': 'dogsByName'},
    {'kind': 'set', 'class': 'Person', 'object': "name == 'person 9'", 'property': 'favourites'}])
op(F, 'delete-people', 'Person', 'delete', predicate='friends.@count == 0', checks=[
    C('Person'), C('Dog', 'owner == nil'), C('Person', 'best == nil'),
    {'kind': 'list', 'class': 'Person', 'object': "name == 'person 35'", 'property': 'friends'}])
op(F, 'give-dogs', 'Dog', 'update', predicate='owner == nil AND age >= 8', set={'owner': '00070e151c232a31383f464d'}, checks=[
    C('Dog', 'owner == nil'), C('Dog', "owner.name == 'person 0'")])

F = 'collections'
op(F, 'ints', 'Collections', 'list', object='_id == 0', property='list_int')
op(F, 'max-decimal', 'OptCollections', 'list', object='_id == 0', property='list_decimal', aggregate='max')
op(F, 'ints-and-null', 'OptCollections', 'set', object='_id == 0', property='set_int')
op(F, 'dates-by-key', 'OptCollections', 'map', object='_id == 0', property='dict_date', keys=['k1', 'null', 'k9', ''])
op(F, 'without-minus-seven', 'Collections', 'filter', predicate='NONE list_int == -7', report='_id')
op(F, 'bottom', 'MixedCollections', 'mixed', object=1, property='any', steps=[1] * 13 + [0])
op(F, 'dictionary', 'MixedCollections', 'mixed', object=2, property='any', steps=[])
op(F, 'append-links', 'LinkCollections', 'append', object=0, property='links', values=['t2', 't3'])
op(F, 'delete-target', 'Target', 'delete', predicate="name IN {'t3', 't4'}", checks=[
    C('Target'), {'kind': 'list', 'class': 'LinkCollections', 'object': 0, 'property': 'links'},
    {'kind': 'set', 'class': 'LinkCollections', 'object': 0, 'property': 'linkSet'},
    {'kind': 'map', 'class': 'LinkCollections', 'object': 0, 'property': 'linkMap'}])

F = 'types'
op(F, 'numbers-of-all-types', 'MixAll', 'mixed', predicate='v BETWEEN {1, 3}', report='v')
op(F, 'old-dates', 'Required', 'dates', predicate='date < T0:0', report='_id')
op(F, 'latest', 'Required', 'dates', predicate='date < T253402300799:0', property='date', aggregate='max')
op(F, 'by-uuid', 'Required', 'filter', predicate="uuid == uuid(4a55606b-7681-8c97-a2ad-b8c3ced9e4ef) OR oid == oid(5c636a71787f868d949ba2a9) OR dec == decimal(123.456) OR bin == binary(B64\"//4AAQ==\")", report='_id')
op(F, 'smallest', 'Required', 'min', property='i', predicate='b == true')
op(F, 'by-key', 'Required', 'primaryKey', key=1, properties=['i', 'b', 'f', 'd', 's', 'date', 'dec', 'oid', 'uuid'])

F = 'deep'
op(F, 'values', 'Sparse', 'distinct', property='v', predicate='v != 3')
op(F, 'elements', 'Big', 'list', object=0, property='list', at=[0, 349999, 350000, 525000, 699999, 700000, 1049999])
op(F, 'append-million', 'Big', 'append', object=0, property='list', values=[7, -8], tail=4,
   checks=[{'kind': 'list', 'class': 'Big', 'object': 0, 'property': 'list', 'aggregate': 'sum'}])
op(F, 'update-tiny', 'Tiny', 'update', predicate='v == 0', set={'v': 4}, checks=[C('Tiny', 'v BETWEEN {3, 5}'), {'kind': 'sum', 'class': 'Tiny', 'property': 'v'}])

F = 'spread'
op(F, 'nulls', 'Spread', 'nulls', predicate='v == nil')
op(F, 'highest', 'Spread', 'sort', predicate='v < 20000', sort=[['v', 'desc']], report='v', limit=6)
op(F, 'average', 'Spread', 'average', property='v', predicate='v BETWEEN {10000, 30000}')
op(F, 'no-columns', 'NoColumns', 'count')
op(F, 'delete-nulls', 'Spread', 'delete', predicate='v == nil OR v > 50000', checks=[C('Spread'), {'kind': 'max', 'class': 'Spread', 'property': 'v'}])

F = 'encrypted'
op(F, 'secret', 'Secret', 'primaryKey', key=1, properties=['text', 'blob'])
op(F, 'missing', 'Secret', 'primaryKey', key=399, properties=['text'])
op(F, 'later-average', 'Secret', 'average', property='_id', predicate="text BEGINSWITH 'later' AND NOT text ENDSWITH '9'")
op(F, 'reveal', 'Secret', 'update', predicate="text CONTAINS '7'", set={'text': 'revealed'}, checks=[C('Secret', "text == 'revealed'"), C('Secret', "text BEGINSWITH[c] 'SECRET'")])

F = 'geo'
op(F, 'place', 'Place', 'primaryKey', key='01000000-0000-4000-8000-000000000000', properties=['name', 'category', 'updated', 'population', 'location'])
op(F, 'far-north', 'Place', 'embedded', predicate="name BEGINSWITH 'Sted' AND location.coordinates[1] > 85 AND location.coordinates[0] > 0", path='location.coordinates', report='_id')
op(F, 'updated', 'Place', 'dates', predicate="updated BETWEEN {T1600123450:0, T1600124000:0} AND category == 'town'", report='_id')
op(F, 'villages', 'Place', 'max', property='population', predicate="category == 'village' AND population < 100000")
op(F, 'delete-cities', 'Place', 'delete', predicate="category == 'city' OR location == nil", checks=[C('Place'), C('Place', "name BEGINSWITH 'Sted'"), {'kind': 'sum', 'class': 'Place', 'property': 'population'}])

F = 'large'
op(F, 'sum-v', 'Item', 'sum', property='v', predicate="kind == 'museum and gallery'")
op(F, 'average-d', 'Item', 'average', property='d', predicate="kind IN {'park', 'library'}")
op(F, 'peers', 'Item', 'link', predicate="_id BETWEEN {6010, 6024}", path='peer.kind', report='_id')
op(F, 'peer-of', 'Item', 'backlinks', object='_id == 777', **{'from': ['Item', 'peer']})
op(F, 'nums', 'Item', 'list', object='_id == 1', property='nums', aggregate='sum')
op(F, 'nulls-first', 'Item', 'sort', predicate="name BEGINSWITH 'item 12' AND _id < 600", sort=[['v', 'asc'], ['_id', 'desc']], report='_id', limit=12)
op(F, 'delete-schools', 'Item', 'delete', predicate="kind == 'school' AND v != nil", checks=[C('Item'), C('Item', 'peer == nil'), C('Item', "peer.kind == 'school'")])

# ---- output -------------------------------------------------------------------------------------
def main():
    files = {}
    for o in OPS:
        n = o['file']
        if n not in files: files[n] = File(n); files[n].name = n
        f = files[n]
        if o['kind'] in ('update', 'delete', 'append'):
            name, f = f.name, copy.deepcopy(f) if n not in ('deep',) else File(n); f.name = name
            write(f, o)
        else: o['expected'] = check(f, o)
        if n == 'encrypted': o['encryptionKey'] = bytes((3 * i + 1) % 256 for i in range(64)).hex()
    print('{"operations":[\n' + ',\n'.join(json.dumps(o, ensure_ascii=False) for o in OPS) + '\n]}')
if __name__ == '__main__': main()
