import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The text of a file that ships with Quire, by its path from the top folder. The only place that knows where they are. */
export function readAsset(path: 'generated/openapi.json' | 'README.md' | 'CHANGELOG.md' | 'package.json'): string {
  return readFileSync(join(root, path), 'utf8')
}
