import type { ChartData } from './chart-data.ts'

/** What the dashboard uses of uPlot, which chart.js defines. */
interface Chart {
  setSize(size: { width: number; height: number }): void
  destroy(): void
}
declare const uPlot: new (options: object, data: readonly number[][], target: Element) => Chart

const height = 260
const daySeconds = 24 * 60 * 60
/** Days between two labels of the axis. */
const steps = [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 180, 365]
/** From how many seconds between two labels on: the label, and what it has in addition when the year changes. */
const dateLabels = [
  [30 * daySeconds, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [daySeconds, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
]

/** Draws the charts of the page, if its chart library is loaded. A table below each chart has the same numbers. */
export function drawCharts(): void {
  if (typeof uPlot === 'undefined') return
  for (const box of document.querySelectorAll<HTMLElement>('[data-chart]')) keepDrawn(box)
}

/** Draws a chart, and draws it again in the colours of the other scheme when the system changes it. */
function keepDrawn(box: HTMLElement): void {
  let chart = drawChart(box)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart.destroy()
    chart = drawChart(box)
  })
  new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height })).observe(box)
}

function drawChart(box: HTMLElement): Chart {
  const { days, series }: ChartData = JSON.parse(box.dataset.chart ?? '{}')
  const axis = {
    stroke: findColour('quiet'),
    grid: { stroke: findColour('line'), width: 1 },
    ticks: { stroke: findColour('line'), width: 1 },
  }
  return new uPlot(
    {
      width: box.clientWidth,
      height,
      // The days are UTC days, wherever the reader is.
      tzDate: (seconds: number) => toUtcParts(seconds),
      scales: { y: { range: (_chart: unknown, _low: number, high: number) => [0, Math.max(high * 1.1, 1)] } },
      axes: [
        { ...axis, incrs: steps.map(days => days * daySeconds), values: dateLabels },
        { ...axis, size: 60 },
      ],
      series: [
        { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
        ...series.map(({ label, colour }) => ({
          label,
          stroke: findColour(colour),
          width: 2,
          points: { show: days.length < 32, fill: findColour('ground') },
        })),
      ],
    },
    [days, ...series.map(({ values }) => values)],
    box,
  )
}

/** Returns a colour of the style sheet as a canvas understands it: without `light-dark()`, which only elements resolve. */
function findColour(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** A date whose local parts are the parts in UTC. */
function toUtcParts(seconds: number): Date {
  const date = new Date(seconds * 1000)
  return new Date(date.getTime() + date.getTimezoneOffset() * 60_000)
}
