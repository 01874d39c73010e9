-- Requests for wrk: three quarters are good, one quarter is hostile. Prints a line of JSON at the end.

local places = 2000
local headers = { ["Content-Type"] = "application/json" }
local random = math.random

local function place(id)
  return string.format(
    '{"name":"place %d","kind":"%s","level":%.3f,"updated":"2026-11-22T19:%02d:00Z",'
      .. '"location":{"type":"Point","coordinates":[%.5f,%.5f]},"tags":["t%d","caf\195\169"],'
      .. '"company":{"name":"company %d","website":null},"details":{"a":[1,null,{"b":"x"}],"n":%d}}',
    id, ({ "station", "harbour", "airport" })[id % 3 + 1], random() * 9, id % 60,
    id % 360 - 180, id % 170 - 85, id % 7, id % 20, id)
end

local function put(body) return wrk.format("PUT", "/places/" .. random(places), headers, body) end
local function get(path) return wrk.format("GET", path) end
local function post(path, body) return wrk.format("POST", path, headers, body) end
local function near(rest)
  return get(string.format("/places?lon=%d&lat=%d&km=300&limit=20%s",
    random(-180, 179), random(-85, 84), rest))
end
local function search(body) return post("/places/search", body) end

local good = {
  function() return near("") end,
  function() return near("&where=kind%20%3D%3D%20%22station%22") end,
  function() return get("/places/" .. random(places)) end,
  function() return get("/places/" .. random(places)) end,
  function() local id = random(places) return wrk.format("PUT", "/places/" .. id, headers, place(id)) end,
  function() return put(string.format('{"level":%.2f,"company":"company %d"}', random(), random(20))) end,
  function() return post("/places", string.format('{"id":%d,"tags":["new"]}', random(places))) end,
  function() return wrk.format("DELETE", "/places/" .. random(places)) end,
  function()
    local x, y = random(-170, 160), random(-80, 70)
    return search(string.format(
      '{"area":{"type":"Polygon","coordinates":[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]},"limit":20}',
      x, y, x + 9, y, x + 9, y + 9, x, y + 9, x, y))
  end,
}

local hostile = {
  function() return put(place(1):sub(1, random(0, 200))) end,
  function() return put('{"name":5}') end,
  function() return put('{"level":"high"}') end,
  function() return put('{"kind":"town"}') end,
  function() return put('{"tags":{"a":1}}') end,
  function() return put('{"company":7}') end,
  function() return put('{"id":"x","location":"here"}') end,
  function() return put('{"location":{"type":"Point","coordinates":[0,95]}}') end,
  function() return put('{"location":{"coordinates":[1e400,"x"]}}') end,
  function() return put('{"updated":"yesterday"}') end,
  function() return put('{"details":{"$a":1,"b.c":2}}') end,
  function() return put('{"level":1e400}') end,
  function() return put('{"level":' .. string.rep("9", 400) .. "}") end,
  function() return put('{"id":99999999999999999999,"name":null}') end,
  function() return put('{"name":"a","name":"b","name":3}') end,
  function() return put('{"name":"\255\254\192\128"}') end,
  function() return put("\255\254{") end,
  function() return put('{"name":"\\ud800","tags":["\\u0000"]}') end,
  function() return put('{"details":{"a":' .. string.rep("[", 5000) .. string.rep("]", 5000) .. "}}") end,
  function() return put('{"details":{"a":' .. string.rep("[", 150) .. string.rep("]", 150) .. "}}") end,
  function() return put(string.rep('{"a":', 20000)) end,
  function() return put("[1,2]") end,
  function() return put("") end,
  function() return post("/places", '{"name":"no key"}') end,
  function() return get("/places/99999999999999999999") end,
  function() return get("/places/%00%ff") end,
  function() return get("/towns") end,
  function() return wrk.format("PATCH", "/places/1") end,
  function() return get("/places?lon=200&lat=0") end,
  function() return get("/places?lon=nan&lat=0&km=-1") end,
  function() return get("/places?lon=0&lat=0&limit=1e9") end,
  function() return near("&where=levle%20%3E%203") end,
  function() return near("&where=name%20MATCHES%20%22(%22") end,
  function() return near("&where=name%20MATCHES%20%22(a%2B)%2B%24%22") end,
  function() return near("&where=" .. string.rep("(", 2000)) end,
  function() return search('{"predicate":"location GEOWITHIN geoPolygon({[0,0],[1,1]})"}') end,
  function() return search('{"area":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,1],[0,0]]]}}') end,
  function() return search('{"area":{"type":"Polygon","coordinates":[[[0,0],[1,1]]]}}') end,
  function() return search('{"area":{"type":"Sphere"},"limit":-1}') end,
  function() return search('{"limit":1e300}') end,
}

function request()
  local list = random(4) == 1 and hostile or good
  return list[random(#list)]()
end

function response(status)
  local name = "status" .. status
  wrk.thread:set(name, (wrk.thread:get(name) or 0) + 1)
end

local threads = {}

function setup(thread)
  thread:set("number", #threads)
  table.insert(threads, thread)
end

function init() math.randomseed(7 + number) end

function done(summary, latency)
  local counts = {}
  for status = 100, 599 do
    local count = 0
    for _, thread in ipairs(threads) do count = count + (thread:get("status" .. status) or 0) end
    if count > 0 then table.insert(counts, string.format('"%d":%d', status, count)) end
  end
  local errors = summary.errors
  print(string.format(
    'result {"requests":%d,"seconds":%.2f,"p50":%.2f,"p99":%.2f,"max":%.2f,'
      .. '"connect":%d,"read":%d,"write":%d,"timeout":%d,"statuses":{%s}}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, latency.max / 1e3, errors.connect, errors.read, errors.write,
    errors.timeout, table.concat(counts, ",")))
end
