import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PackageProgram, writePackageProgram } from '../package-program.ts'

/** Writes `quire-report` as it is in the package, and an `npx` that runs only `npx --package quire-spec quire-report`. */
export function writeReportProgram(): PackageProgram {
  const program = writePackageProgram('spec/package/report/quire-report.mjs')
  const npx = join(program.folder, 'npx')
  writeFileSync(
    npx,
    `#!/bin/sh
[ "$1 $2 $3" = "--package quire-spec quire-report" ] || { echo "npx $* does not exist" >&2; exit 99; }
shift 3
exec "${process.execPath}" "${program.file}" "$@"
`,
  )
  chmodSync(npx, 0o755)
  return program
}
