/** The parts and sizes of a run. */
export interface Plan {
  seed: number
  /** Lines of the imported log; 0 = no import. */
  lines: number
  /** Visitors' page views in the queried data. */
  visits: number
  pages: number
  /** Queries for each range length and page. */
  repeats: number
  /** Whether GoAccess also imports the log. */
  withGoAccess: boolean
}

/** 400 days, which contain many ranges of a year: 2025-09-01 to 2026-10-06 (exclusive), in days since 1970-01-01 UTC. */
export const firstDay = 20_332
export const endDay = 20_732
