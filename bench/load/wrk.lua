-- A body makes every request a POST.
local body = os.getenv('WRK_BODY')
if body then
  wrk.method = 'POST'
  wrk.body = body
end

-- Several names are asked for in turn.
local hosts = os.getenv('WRK_HOSTS')
if hosts then
  local requests = {}
  init = function()
    for host in hosts:gmatch('[^,]+') do
      wrk.headers['Host'] = host
      requests[#requests + 1] = wrk.format()
    end
  end
  local turn = 0
  request = function()
    turn = turn % #requests + 1
    return requests[turn]
  end
end

-- Prints what wrk measured as one line of JSON; latencies come in microseconds.
done = function(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"failed":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
