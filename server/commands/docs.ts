import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { readAsset } from '../assets.ts'
import { OperatorError } from '../base/operator-error.ts'
import { readReport } from '../export/check/bundle-files.ts'
import { openDocsReader } from '../host/mcp/docs-reader.ts'
import { unpackArchive } from '../unpack/unpack-archive.ts'
import { defaultUnpackLimits } from '../unpack/unpack-limits.ts'
import { withWorkFolder } from './with-work-folder.ts'

export function docsCommand(): Command {
  return new Command('docs')
    .description(
      'let an agent on this machine search and read a bundle, over the Model Context Protocol on stdin and stdout',
    )
    .argument('<bundle>', 'a bundle: an archive, or the folder of one')
    .addHelpText('after', help)
    .action(run)
}

const help = `
Examples:
  npx quire docs docs.zip
  npx quire docs docs/

An agent starts the command itself; add it to the settings of the agent as a local server. The tools are search, read_page and
list_pages. They need no network and change nothing. search needs a bundle that was exported with --offline-search. The command
ends when the agent closes its input. To serve several versions over HTTP, see npx quire host --mcp.`

async function run(bundle: string): Promise<void> {
  const found = await stat(bundle).catch(() => null)
  if (!found) throw new OperatorError(`${bundle} does not exist. Name a bundle, such as docs.zip.`, 2)
  await withWorkFolder(undefined, 'The command was stopped.', async (work, signal) => {
    const folder = found.isDirectory() ? bundle : join(work, 'bundle')
    if (!found.isDirectory()) await unpackArchive({ file: bundle, folder, limits: defaultUnpackLimits, signal })
    await serve(folder, signal)
  })
}

async function serve(folder: string, signal: AbortSignal): Promise<void> {
  const report = await readReport(folder)
  if (typeof report === 'string') throw new OperatorError(`${report} Name a bundle that npx quire export made.`, 2)
  const { version: label, domain } = report
  const version = { id: 'bundle', label, domain, reader: openDocsReader(folder) }
  const { createDocsServer } = await import('../host/mcp/docs-server.ts')
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
  const programVersion = JSON.parse(readAsset('package.json')).version
  // A pipe closes, and a file only ends.
  const ended = Promise.race(['end', 'close'].map(event => once(process.stdin, event, { signal }))).catch(() => {})
  const connection = serveStdio(() => createDocsServer({ versions: async () => [version], programVersion }), {
    onerror: error => console.error(error.message),
  })
  await ended
  await connection.close()
}
