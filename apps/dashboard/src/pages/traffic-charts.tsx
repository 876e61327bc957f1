import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { api } from '../api/client.ts'

/** What the service counted in one interval, for the whole account. */
interface TrafficSample {
  readonly at: string
  readonly interval_ms: number
  readonly requests: number
  readonly errors: number
  readonly bytes_in: number
  readonly bytes_out: number
}

const samplesMax = 360
const chartHeight = 180
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** Requests, errors and bytes of the account, live. */
export function TrafficCharts() {
  const samples = useTrafficSamples()
  const perSecond = (count: (sample: TrafficSample) => number) =>
    samples.map((sample) => (count(sample) * 1000) / sample.interval_ms)
  if (samples.length === 0) return <Waiting />
  const times = samples.map(({ at }) => Date.parse(at) / 1000)
  return (
    <section aria-label="Traffic" className="charts">
      <Chart
        title="Requests per second"
        data={[times, perSecond((s) => s.requests), perSecond((s) => s.errors)]}
        names={['requests', 'errors']}
      />
      <Chart
        title="Kilobytes per second"
        data={[times, perSecond((s) => s.bytes_in / 1000), perSecond((s) => s.bytes_out / 1000)]}
        names={['in', 'out']}
      />
    </section>
  )
}

function Waiting() {
  return (
    <section aria-label="Traffic" className="card">
      <p className="muted chart-empty">Traffic appears here within five seconds.</p>
    </section>
  )
}

function useTrafficSamples(): readonly TrafficSample[] {
  const [samples, setSamples] = useState<readonly TrafficSample[]>([])
  useEffect(
    () =>
      api.events.listen({
        onEvent: ({ event_type: type, object }) => {
          if (type.startsWith('traffic_sampled'))
            setSamples((old) => [...old, object as unknown as TrafficSample].slice(-samplesMax))
        },
      }),
    [],
  )
  return samples
}

interface ChartProps {
  readonly title: string
  readonly data: uPlot.AlignedData
  readonly names: readonly [string, string]
}

function Chart({ title, data, names }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  useEffect(() => {
    if (frame.current === null) return
    const created = new uPlot(chartOptions(frame.current.clientWidth, names), data, frame.current)
    plot.current = created
    const resizing = new ResizeObserver(([entry]) =>
      created.setSize({ width: entry?.contentRect.width ?? created.width, height: chartHeight }),
    )
    resizing.observe(frame.current)
    return () => {
      resizing.disconnect()
      created.destroy()
    }
    // Data arrives through setData below; the chart itself is made once.
  }, [])
  useEffect(() => plot.current?.setData(data), [data])
  const latest = data.slice(1).map((series) => (series.at(-1) ?? 0).toFixed(1))
  return (
    <figure className="card">
      <figcaption>
        {title}
        {names.map((name, index) => (
          <span key={name} className="key muted">
            {name} {latest[index]}
          </span>
        ))}
      </figcaption>
      <div ref={frame} aria-hidden="true" />
    </figure>
  )
}

function chartOptions(width: number, names: readonly [string, string]): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => style.getPropertyValue(name).trim()
  const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false } }
  return {
    width,
    height: chartHeight,
    legend: { show: false },
    cursor: { show: false },
    axes: [{ ...axis, size: 30, space: 100, values: (_plot, seconds) => seconds.map(clockTime) }, axis],
    series: [{}, line(names[0], color('--chart-1')), line(names[1], color('--chart-2'))],
  }
}

function line(label: string, stroke: string): uPlot.Series {
  return { label, stroke, width: 2, points: { show: false } }
}

function clockTime(seconds: number): string {
  return clock.format(seconds * 1000)
}
