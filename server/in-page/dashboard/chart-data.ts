/** Numbers of a chart, as the page has them in the attribute `data-chart`. */
export interface ChartData {
  /** Days as seconds since 1970. */
  days: number[]
  /** `colour` is the name of a custom property of the style sheet, without its dashes. */
  series: { label: string; values: number[]; colour: string }[]
}
