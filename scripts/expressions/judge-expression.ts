import { createRequire } from 'node:module'

/**
 * `safe`: the time to match a text grows linearly with its length. Otherwise how it grows, such as `2nd degree polynomial`,
 * or why it is unknown, such as `unknown (timeout)`.
 */
export type Verdict = string

/** The judge: its verdicts depend on its version. */
export const judgeVersion: string = createRequire(import.meta.url)('recheck/package.json').version

/** Judges an expression in at most half a minute. */
export async function judgeExpression(source: string, flags: string): Promise<Verdict> {
  // Its other backends start a thread, Java or a program.
  process.env.RECHECK_SYNC_BACKEND = 'pure'
  const { checkSync } = await import('recheck')
  const result = checkSync(source, flags, { timeout: 30_000, randomSeed: 1 })
  if (result.status === 'vulnerable') return result.complexity.summary.replace(' (fuzz)', '')
  return result.status === 'safe' ? 'safe' : `unknown (${result.error.kind})`
}
