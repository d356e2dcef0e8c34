import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { writeChartLibrary } from './generate/chart.ts'
import { bundleDocument } from './generate/document.ts'
import { notice, writeFiles } from './generate/files.ts'
import { writeInPageScripts } from './generate/in-page.ts'
import { lintSpec } from './generate/lint.ts'
import { writeLintRules } from './generate/lint-rules.ts'
import { addProblems } from './generate/problems.ts'
import { runProgram } from './run-program.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'generated')

const program = new Command('npm run generate --')
  .description(
    'Lint spec/, then write generated/: the document, types, server stub and client from spec/, the scripts from server/in-page/, the chart library of the dashboard, and the lint rules from scripts/.',
  )
  .addOption(new Option('--check', 'write nothing; exit with 1 if a file is stale').env('QUIRE_GENERATE_CHECK'))
  .addHelpText('after', '\nExamples:\n  npm run generate\n  npm run generate -- --check\n')
  .exitOverride()
  .action(async ({ check }: { check?: boolean }) => {
    // `npm test` lints in another step.
    if (!check) await lintSpec(root, 'spec/openapi.yaml')
    const document = addProblems(await bundleDocument(root))
    const wanted = {
      ...(await writeFiles(document)),
      'in-page.ts': notice + (await writeInPageScripts(join(root, 'server', 'in-page'))),
      'chart.ts': notice + (await writeChartLibrary(join(root, 'node_modules', 'uplot'))),
      'lint-rules.json': writeLintRules(),
    }
    if (check) return checkFiles(wanted)
    await mkdir(folder, { recursive: true })
    for (const [name, text] of Object.entries(wanted)) await writeFile(join(folder, name), text)
    console.log(`Wrote ${Object.keys(wanted).join(', ')} to generated/.`)
  })

async function checkFiles(wanted: Record<string, string>): Promise<void> {
  const present = await readdir(folder).catch(() => [])
  const names = new Set([...Object.keys(wanted), ...present])
  const stale: string[] = []
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8').catch(() => undefined)
    if (text === undefined || text !== wanted[name]) stale.push(`generated/${name}`)
  }
  if (stale.length > 0) {
    throw new OperatorError(
      `Stale: ${stale.join(', ')}. Run npm run generate, and delete the listed files that it does not write.`,
    )
  }
  console.log('generated/ is fresh.')
}

await runProgram(program)
