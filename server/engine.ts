import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAsset } from './assets.ts'

const sources = join(import.meta.dirname, 'export')

/** Names this build of the export engine, its dependencies included: what another one made is not handed out as its own. */
export function describeEngine(): string {
  const hash = createHash('sha256').update(readAsset('package.json'))
  for (const name of listSources()) hash.update(`\n${name}\n`).update(readFileSync(join(sources, name)))
  return hash.digest('hex')
}

/** None where the sources are packed in a binary: there every build has a version of its own. */
function listSources(): string[] {
  try {
    const names = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    return names.filter(name => name.endsWith('.ts')).sort()
  } catch {
    return []
  }
}
