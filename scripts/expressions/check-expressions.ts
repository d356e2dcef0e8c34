import type { Exception } from './exceptions.ts'
import type { Expression } from './find-expressions.ts'
import type { Verdict } from './judge-expression.ts'

/** The verdicts of an earlier run, by literal. They stay true until the judge changes. */
export interface Verdicts {
  judge: string
  verdicts: Record<string, Verdict>
}

export interface Outcome {
  problems: string[]
  verdicts: Verdicts
}

/**
 * Checks that each expression is safe or a reviewed exception, and that each exception is needed. Only literals without a known
 * verdict are judged.
 */
export async function checkExpressions(
  expressions: readonly Expression[],
  exceptions: readonly Exception[],
  known: Verdicts,
  { version, judge }: { version: string; judge: (source: string, flags: string) => Promise<Verdict> },
): Promise<Outcome> {
  const verdicts: Record<string, Verdict> = {}
  const problems: string[] = []
  const used = new Set<Exception>()
  for (const { file, text, literal } of expressions) {
    const verdict = literal ? await findVerdict(literal) : 'made at run time'
    if (verdict === 'safe') continue
    const found = exceptions.filter(exception => exception.file === file && exception.text === text)
    for (const exception of found) used.add(exception)
    if (found.length === 0) problems.push(`${file}: ${text} is not safe: ${verdict}.`)
  }
  for (const exception of exceptions) {
    if (!used.has(exception)) problems.push(`${exception.file}: ${exception.text} needs no exception any more.`)
  }
  const names = Object.keys(verdicts).sort()
  const sorted = Object.fromEntries(names.map(name => [name, verdicts[name] ?? '']))
  return { problems, verdicts: { judge: version, verdicts: sorted } }

  async function findVerdict({ source, flags }: NonNullable<Expression['literal']>): Promise<Verdict> {
    const name = `/${source}/${flags}`
    const verdict =
      verdicts[name] ?? (known.judge === version ? known.verdicts[name] : undefined) ?? (await judge(source, flags))
    verdicts[name] = verdict
    return verdict
  }
}
