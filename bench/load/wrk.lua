-- A body makes every request a POST.
local body = os.getenv('WRK_BODY')
if body then
  wrk.method = 'POST'
  wrk.body = body
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
