import type { ChartData } from './chart-data.ts'

/** What the dashboard uses of uPlot, which chart.js defines. */
declare const uPlot: new (
  options: object,
  data: readonly number[][],
  target: Element,
) => {
  setSize(size: { width: number; height: number }): void
}

/** Draws the charts of the page, if its chart library is loaded. A table below each chart has the same numbers. */
export function drawCharts(): void {
  if (typeof uPlot === 'undefined') return
  for (const box of document.querySelectorAll<HTMLElement>('[data-chart]')) drawChart(box)
}

function drawChart(box: HTMLElement): void {
  const { days, series }: ChartData = JSON.parse(box.dataset.chart ?? '{}')
  const height = 260
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim() || 'currentColor'
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  }
  const chart = new uPlot(
    {
      width: box.clientWidth,
      height,
      // The days are UTC days, wherever the reader is.
      tzDate: (seconds: number) => toUtcParts(seconds),
      scales: { y: { range: (_chart: unknown, _low: number, high: number) => [0, Math.max(high * 1.1, 1)] } },
      axes: [axis, { ...axis, size: 60 }],
      series: [
        { label: 'Day', value: '{YYYY}-{MM}-{DD}' },
        ...series.map(each => ({
          label: each.label,
          stroke: colour(each.colour),
          width: 2,
          points: { show: days.length < 32 },
        })),
      ],
    },
    [days, ...series.map(({ values }) => values)],
    box,
  )
  new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height })).observe(box)
}

/** A date whose local parts are the parts in UTC. */
function toUtcParts(seconds: number): Date {
  const date = new Date(seconds * 1000)
  return new Date(date.getTime() + date.getTimezoneOffset() * 60_000)
}
