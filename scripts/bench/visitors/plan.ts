/** What is run, and how large. */
export interface Plan {
  seed: number
  /** Lines of the log that is imported; 0 = none is. */
  lines: number
  /** Views of visitors in the data that is asked. */
  visits: number
  pages: number
  /** Questions of each length and place. */
  repeats: number
  peers: readonly Peer[]
}

/** What Quire is measured beside. */
export type Peer = 'goaccess' | 'duckdb'

/** 400 days, so that a year begins on many of them; days since 1970-01-01 in UTC: 2025-09-01 up to, not on, 2026-10-06. */
export const firstDay = 20_332
export const endDay = 20_732
