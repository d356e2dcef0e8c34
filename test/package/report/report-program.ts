import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../../..')

export interface ReportProgram {
  /** An empty folder but for these programs; put it first into PATH. */
  folder: string
  /** The file that the package installs as `quire-report`, on the modules of the repository. */
  file: string
  remove(): void
}

/** Writes `quire-report` as it is in the package, and an `npx` that runs only `npx --package quire-spec quire-report`. */
export function writeReportProgram(): ReportProgram {
  const folder = mkdtempSync(join(tmpdir(), 'quire-report-test-'))
  const source = readFileSync(join(root, 'spec/package/report/quire-report.mjs'), 'utf8')
  const file = join(folder, 'quire-report.mjs')
  const toModule = (path: string) => `'${pathToFileURL(join(root, `${path}.ts`)).href}'`
  writeFileSync(
    file,
    source.replaceAll(/'\.\/esm\/(.*)\.js'/g, (_, path: string) => toModule(path)),
  )
  const npx = join(folder, 'npx')
  writeFileSync(
    npx,
    `#!/bin/sh
[ "$1 $2 $3" = "--package quire-spec quire-report" ] || { echo "npx $* does not exist" >&2; exit 99; }
shift 3
exec "${process.execPath}" "${file}" "$@"
`,
  )
  chmodSync(npx, 0o755)
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
