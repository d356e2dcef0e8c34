import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { writeChartLibrary } from './generate/chart.ts'
import { bundleDocument, extensionsFile, indexFile } from './generate/document.ts'
import { notice, writeExtensionFiles, writeFiles } from './generate/files.ts'
import { writeInPageScripts } from './generate/in-page.ts'
import { lintSpec } from './generate/lint.ts'
import { writeLintRules } from './generate/lint-rules.ts'
import { addProblems } from './generate/problems.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'generated')

const program = new Command('npm run generate --')
  .description(
    'Lint spec/, then write generated/: the document, types, server stub and client from spec/, the scripts from server/in-page/, the chart library of the dashboard, the lint rules from scripts/, and the page of the settings in server/docs/pages/.',
  )
  .addOption(new Option('--check', 'write nothing; exit with 1 if a file is stale').env('QUIRE_GENERATE_CHECK'))
  .addHelpText('after', '\nExamples:\n  npm run generate\n  npm run generate -- --check\n')
  .exitOverride()
  .action(async ({ check }: { check?: boolean }) => {
    // `npm test` lints in another step.
    if (!check) for (const file of [indexFile, extensionsFile]) await lintSpec(root, file)
    const document = addProblems(await bundleDocument(root))
    const extensions = addProblems(await bundleDocument(root, extensionsFile))
    const generated = {
      ...(await writeFiles(document)),
      ...(await writeExtensionFiles(extensions)),
      'in-page.ts': notice + (await writeInPageScripts(join(root, 'server', 'in-page'))),
      'chart.ts': notice + (await writeChartLibrary(join(root, 'node_modules', 'uplot'))),
      'lint-rules.json': writeLintRules(),
    }
    const wanted = Object.fromEntries(Object.entries(generated).map(([name, text]) => [`generated/${name}`, text]))
    if (check) await refuseStale(wanted)
    else await writeAll(wanted)
    // After the others, because the commands import them and cannot be loaded if they are broken.
    const { writeSettingsPage } = await import('./generate/settings.ts')
    const page = { 'server/docs/pages/settings.md': await writeSettingsPage() }
    if (check) {
      await refuseStale({ ...wanted, ...page })
      return console.log('generated/ is fresh.')
    }
    await writeAll(page)
    console.log(`Wrote ${Object.keys(generated).join(', ')} to generated/, and ${Object.keys(page).join()}.`)
  })

async function writeAll(files: Record<string, string>): Promise<void> {
  await mkdir(join(folder, 'extensions'), { recursive: true })
  for (const [file, text] of Object.entries(files)) await writeFile(join(root, file), text)
}

async function refuseStale(wanted: Record<string, string>): Promise<void> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const present = found
    .filter(entry => entry.isFile())
    .map(entry => relative(folder, join(entry.parentPath, entry.name)))
  const files = new Set([...Object.keys(wanted), ...present.map(name => `generated/${name}`)])
  const stale: string[] = []
  for (const file of files) {
    const text = await readFile(join(root, file), 'utf8').catch(() => undefined)
    if (text === undefined || text !== wanted[file]) stale.push(file)
  }
  if (stale.length > 0) {
    throw new OperatorError(
      `Stale: ${stale.join(', ')}. Run npm run generate, and delete the listed files that it does not write.`,
    )
  }
}

await runProgram(program)
