/** Numbers of a chart, as the page has them in the attribute `data-chart`. */
export interface ChartData {
  /** The first day of each period, as seconds since 1970. */
  days: number[]
  human: number[]
  ai: number[]
  total: number[]
  /** The total of each period of the range that is compared with. */
  before?: number[]
  /** Whether the last period is not over. */
  isUnfinished: boolean
  labels: { human: string; ai: string; total: string; before: string; soFar: string }
}
