// Checks that no regular expression in server/ takes more than linear time. `recheck` judges each literal. Its verdicts are
// kept in expressions/verdicts.json, because 550 of them take more than a minute.
//
//   node scripts/check-expressions.ts [--write]
//
// `--write` judges new expressions, and removes the verdicts of those that are gone.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkExpressions, type Verdicts } from './expressions/check-expressions.ts'
import { exceptions } from './expressions/exceptions.ts'
import { findExpressions } from './expressions/find-expressions.ts'
import { judgeExpression, judgeVersion } from './expressions/judge-expression.ts'

const { write } = parseArgs({ options: { write: { type: 'boolean', default: false } } }).values
const root = join(import.meta.dirname, '..')
const cache = join(import.meta.dirname, 'expressions', 'verdicts.json')

const files = globSync('server/**/*.{ts,js,mjs,cjs}', { cwd: root }).map(file => file.replaceAll('\\', '/'))
const expressions = files.sort().flatMap(file => findExpressions(file, readFileSync(join(root, file), 'utf8')))
for (const pattern of listPatterns(JSON.parse(readFileSync(join(root, 'generated/openapi.json'), 'utf8')))) {
  expressions.push({ file: 'generated/openapi.json', text: pattern, literal: { source: pattern, flags: 'u' } })
}
const before = readFileSync(cache, 'utf8')
const known: Verdicts = JSON.parse(before)
const { problems, verdicts } = await checkExpressions(expressions, exceptions, known, {
  version: judgeVersion,
  judge: judgeExpression,
})

const after = `${JSON.stringify(verdicts, null, 2)}\n`
if (write) writeFileSync(cache, after)
else if (after !== before) problems.push('scripts/expressions/verdicts.json is stale. Run: npm run judge-expressions')
for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error(
    'Rewrite what is not safe, for example without two repeats of the same characters in a row. If only Quire writes the input, ' +
      'or the input is short, add an exception with the reason to scripts/expressions/exceptions.ts.',
  )
  process.exit(1)
}
console.log(`${expressions.length} expressions, ${exceptions.length} of them exceptions.`)

/** Lists the patterns of the schemas. */
function listPatterns(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'pattern' && typeof inner === 'string' ? [inner] : listPatterns(inner),
  )
}
