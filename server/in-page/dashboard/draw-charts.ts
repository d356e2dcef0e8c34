import type { ChartData } from './chart-data.ts'
import { themeEvent } from './choose-theme.ts'

/** What the dashboard uses of uPlot, which chart.js defines. */
interface Chart {
  setSize(size: { width: number; height: number }): void
  destroy(): void
  valToPos(value: number, scale: string, isForCanvas: boolean): number
  ctx: CanvasRenderingContext2D
  /** The element that the pointer is over. */
  over: HTMLElement
  cursor: { idx: number | null; left: number }
}
declare const uPlot: {
  new (options: object, data: readonly number[][], target: Element): Chart
  paths: { bars(options: object): unknown }
}

const height = 260
const daySeconds = 24 * 60 * 60
/** Days between two labels of the axis. */
const steps = [1, 2, 3, 5, 7, 10, 15, 30, 60, 90, 180, 365]
/** Visitors between two labels of the axis: nobody is half a visitor. */
const wholeSteps = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].flatMap(size => [size, 2 * size, 5 * size])
/** From how many seconds between two labels on: the label, and what it has in addition when the year changes. */
const dateLabels = [
  [30 * daySeconds, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [daySeconds, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
]

/** The boxes with a chart, and what ends it. A renewed part of the page has new boxes. */
const drawn = new Map<HTMLElement, () => void>()

/**
 * Draws the charts of an element, if the chart library is loaded, and ends those that left the page. A table below each chart has the
 * same numbers.
 */
export function drawCharts(root: ParentNode): void {
  if (typeof uPlot === 'undefined') return
  for (const [box, end] of drawn) {
    if (box.isConnected) continue
    end()
    drawn.delete(box)
  }
  for (const box of root.querySelectorAll<HTMLElement>('[data-chart]')) keepDrawn(box)
}

/** Draws a chart, and draws it again in the colours of the other scheme when the system or the person changes it. */
function keepDrawn(box: HTMLElement): void {
  let chart = drawChart(box)
  const ended = new AbortController()
  const redraw = () => {
    chart.destroy()
    chart = drawChart(box)
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw, { signal: ended.signal })
  document.addEventListener(themeEvent, redraw, { signal: ended.signal })
  const resized = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }))
  resized.observe(box)
  drawn.set(box, () => {
    ended.abort()
    resized.disconnect()
    chart.destroy()
  })
}

/** The part of the room of a period that its bar fills. */
const barWidth = 0.8

function drawChart(box: HTMLElement): Chart {
  const data: ChartData = JSON.parse(box.dataset.chart ?? '{}')
  const { days, human, ai, before, isUnfinished } = data
  const step = days.length > 1 ? (days[1] as number) - (days[0] as number) : daySeconds
  const axis = {
    stroke: findColour('quiet'),
    grid: { stroke: findColour('line'), width: 1 },
    ticks: { stroke: findColour('line'), width: 1 },
  }
  const bars = (colour: string) => ({
    paths: uPlot.paths.bars({ size: [barWidth, 60] }),
    fill: findColour(colour),
    width: 0,
    points: { show: false },
  })
  const line = { stroke: findColour('text'), width: 2, dash: [5, 4], points: { show: false } }
  const tooltip = createTooltip(box)
  return new uPlot(
    {
      width: box.clientWidth,
      height,
      // The days are UTC days, wherever the reader is.
      tzDate: (seconds: number) => toUtcParts(seconds),
      scales: {
        x: { range: (_chart: unknown, low: number, high: number) => [low - step / 2, high + step / 2] },
        y: { range: (_chart: unknown, _low: number, high: number) => [0, Math.max(high * 1.1, 1)] },
      },
      axes: [
        { ...axis, incrs: steps.map(days => days * daySeconds), values: dateLabels },
        { ...axis, size: 60, incrs: wholeSteps },
      ],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      // The bars of people cover the lower part of those of all.
      series: [{}, bars('ai'), bars('human'), ...(before ? [line] : [])],
      hooks: {
        // Below the line of the range before.
        drawSeries: [(chart: Chart, at: number) => at === lastBars && isUnfinished && fadeLast(chart, data, step)],
        setCursor: [(chart: Chart) => showValues(tooltip, chart, data)],
      },
    },
    [days, human.map((count, i) => count + (ai[i] as number)), human, ...(before ? [before] : [])],
    box,
  )
}

/** The series of people, which is drawn after that of all. */
const lastBars = 2

/** Draws the last bar paler, because its period is not over. */
function fadeLast({ ctx, valToPos }: Chart, { days, human, ai }: ChartData, step: number): void {
  const day = days.at(-1) ?? 0
  const [from, to] = [valToPos(day - step / 2, 'x', true), valToPos(day + step / 2, 'x', true)]
  const [top, bottom] = [valToPos((human.at(-1) ?? 0) + (ai.at(-1) ?? 0), 'y', true), valToPos(0, 'y', true)]
  ctx.save()
  ctx.globalAlpha = 0.55
  ctx.fillStyle = findColour('ground')
  ctx.fillRect(from, top, to - from, bottom - top)
  ctx.restore()
}

function createTooltip(box: HTMLElement): HTMLElement {
  const known = box.querySelector<HTMLElement>('.tooltip')
  if (known) return known
  const tooltip = document.createElement('p')
  tooltip.className = 'tooltip'
  tooltip.hidden = true
  box.append(tooltip)
  return tooltip
}

/** Shows the day below the pointer and its values. */
function showValues(tooltip: HTMLElement, { cursor, over }: Chart, data: ChartData): void {
  const { idx, left } = cursor
  const day = data.days[idx ?? -1]
  tooltip.hidden = day === undefined || left < 0
  if (day === undefined || tooltip.hidden) return
  const { labels, isUnfinished } = data
  const date = new Date(day * 1000).toISOString().slice(0, 10)
  const isLast = isUnfinished && idx === data.days.length - 1
  const values = (['human', 'ai', 'total', 'before'] as const).flatMap(name => {
    const value = data[name]?.[idx ?? 0]
    return value === undefined ? [] : [`${labels[name]} ${value.toLocaleString()}`]
  })
  tooltip.textContent = [isLast ? `${date} (${labels.soFar})` : date, ...values].join('\n')
  const place = over.offsetLeft + left + (left > over.clientWidth / 2 ? -tooltip.offsetWidth - 12 : 12)
  tooltip.style.left = `${Math.max(0, place)}px`
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
