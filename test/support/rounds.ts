/**
 * The share of their rounds that long tests run, such as kills at random moments. A smaller share runs the same code at fewer
 * moments. `QUIRE_TEST_SHARE=1` is the most thorough run.
 */
const share = readShare(process.env.QUIRE_TEST_SHARE)

/** Reads QUIRE_TEST_SHARE: more than 0, at most 1; undefined = 0.4. */
export function readShare(text: string | undefined): number {
  if (text === undefined || text === '') return 0.4
  const given = Number(text)
  if (given > 0 && given <= 1) return given
  throw new Error(`QUIRE_TEST_SHARE=${text}: give a number greater than 0 and at most 1.`)
}

/** @param most how often a test repeats something in the most thorough run. */
export const rounds = (most: number) => Math.ceil(most * share)

/** Returns the share of a list of cases: as many as rounds, beginning with another one on each day. */
export function someOf<T>(cases: readonly T[], day = Math.floor(Date.now() / 86_400_000)): T[] {
  const start = cases.length === 0 ? 0 : (day * rounds(cases.length)) % cases.length
  return [...cases.slice(start), ...cases.slice(0, start)].slice(0, rounds(cases.length))
}
