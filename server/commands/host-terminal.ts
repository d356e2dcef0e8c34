import { escapeControlsInLines } from '../base/escape-controls.ts'
import { describeBytes } from '../base/format-bytes.ts'
import type { UpdateProgress } from '../host/updater.ts'
import type { Version } from '../host/versions/version.ts'
import type { HostTerminal } from '../serving/host.ts'

type Output = Pick<NodeJS.WriteStream, 'write' | 'columns'>

/**
 * Shows a person what a host does: one line that is redrawn while a bundle is fetched and unpacked, and a line for each version.
 * The first has the address; call `listening` with it.
 */
export function createHostTerminal(output: Output): HostTerminal & { listening(url: string): void } {
  let served: Version | null = null
  let address: string | null = null
  const print = (line: string) => void output.write(`\r\x1b[K${escapeControlsInLines(line)}\n`)
  const describe = ({ domain, label, pages, files, id }: Version) =>
    `${domain ?? 'the site'}${label === null ? '' : ` ${label}`} (${pages === null ? `${files} files` : `${pages} pages`}, ${id})`
  return {
    progress(progress) {
      const line = escapeControlsInLines(describeProgress(progress))
      output.write(`\r\x1b[K${line.slice(0, (output.columns ?? 80) - 1)}`)
    },
    clear: () => void output.write('\r\x1b[K'),
    serving(version) {
      served = version
      if (address !== null) print(`Serving ${describe(version)} now.`)
    },
    listening(url) {
      address = url
      print(served ? `Serving ${describe(served)} at` : 'No version is served yet. Waiting for one at')
      print(`  ${url}/`)
      print('Ctrl-C stops it.')
    },
  }
}

function describeProgress(progress: UpdateProgress): string {
  if (progress.stage === 'fetch') return `Fetching the bundle from ${progress.source} ...`
  if (progress.stage === 'unpack') return `Unpacking and checking ${describeBytes(progress.sizeBytes)} ...`
  return `Compressing: ${progress.done} of ${progress.known} files`
}
