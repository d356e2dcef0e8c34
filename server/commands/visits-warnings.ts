import type { ImportedFile } from '../analytics/import/import-log.ts'
import type { Suspicion } from '../analytics/import/suspicions.ts'
import { showCountOf } from './print.ts'
import { fitTerminal } from './prose.ts'

/** A warning about one log. */
export interface LogWarning extends Suspicion {
  file: string
}

/** Lists the warnings about all imported files. */
export function listWarnings(files: readonly ImportedFile[]): LogWarning[] {
  return files.flatMap(({ file, suspicions }) => suspicions.map(suspicion => ({ file, ...suspicion })))
}

/** Prints the warnings and notes about imported files to standard error. */
export function printWarnings(files: readonly ImportedFile[]): void {
  const warnings = listWarnings(files)
  const lines = [
    ...(warnings.length > 0 ? ['Warning: the counts may be wrong.'] : []),
    ...warnings.map(({ file, code, message }) => `${file}: ${message} [${code}]`),
    ...files.flatMap(({ file, nulBytes = 0 }) =>
      nulBytes > 0
        ? [`${file}: ${showCountOf(nulBytes, 'NUL byte')} before lines skipped, as copytruncate leaves them.`]
        : [],
    ),
    ...files.flatMap(({ file, forwardedViews = {} }) =>
      Object.entries(forwardedViews).map(
        ([proxy, views]) =>
          `${file}: ${showCountOf(views, 'page view')} came through a proxy of ${proxy}. Counted by the address that it sent in X-Forwarded-For.`,
      ),
    ),
  ]
  for (const line of lines) console.error(fitTerminal(line, process.stderr))
}
