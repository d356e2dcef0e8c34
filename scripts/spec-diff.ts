import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { bundleDocument } from './generate/document.ts'
import { runProgram } from './run-program.ts'
import { writeChangelog } from './spec-diff/changelog.ts'
import { isSame, type Part } from './spec-diff/part.ts'
import { printChanges } from './spec-diff/print.ts'
import { acceptedFile, compareWithReleased, readDocument, releasedFile } from './spec-diff/released.ts'

const root = join(import.meta.dirname, '..')
const changelogFile = join(root, 'CHANGELOG.md')

interface Flags {
  released: string
  json?: boolean
  write?: boolean
  release?: boolean
}

const program = new Command('npm run spec:diff --')
  .description(
    'Compare spec/ with the released document, and judge each change: breaking, not breaking or documentation. Exit with 1 if a change is breaking and the major version is not higher.',
  )
  .addOption(
    new Option('--released <file>', 'document to compare with')
      .env('QUIRE_SPEC_RELEASED')
      .default(join(root, releasedFile), releasedFile),
  )
  .addOption(new Option('--json', 'print JSON').env('QUIRE_SPEC_DIFF_JSON'))
  .addOption(new Option('--write', 'write the changes to CHANGELOG.md').env('QUIRE_SPEC_DIFF_WRITE'))
  .addOption(
    new Option('--release', 'make generated/openapi.yaml the released document, if it may be released').env(
      'QUIRE_SPEC_DIFF_RELEASE',
    ),
  )
  .addHelpText(
    'after',
    `
Exit codes: 0 may be released, 1 breaking without a new major version or failed, 2 wrong usage

Examples:
  npm run spec:diff
  npm run -s spec:diff -- --json
  npm run spec:diff -- --write
  npm run spec:diff -- --released ../released/openapi.json
`,
  )
  .exitOverride()
  .action(diff)

async function diff({ released, json, write, release }: Flags): Promise<void> {
  const document = (await bundleDocument(join(root, 'spec', 'openapi.yaml'))) as Part
  const { changes, verdict } = await compareWithReleased(root, document, released)
  if (json) console.log(JSON.stringify({ ...verdict, problem: verdict.problem ?? null, changes }, undefined, 2))
  else console.log(printChanges(changes, verdict))
  if (write) {
    const changelog = await readFile(changelogFile, 'utf8')
    await writeFile(changelogFile, writeChangelog(changelog, changes, verdict))
  }
  if (verdict.problem) process.exitCode = 1
  else if (release) await makeReleased(document)
}

/** The accepted changes are part of the released document from now on. */
async function makeReleased(document: Part): Promise<void> {
  const generated = join(root, 'generated', 'openapi.yaml')
  if (!isSame(await readDocument(generated), document)) {
    throw new OperatorError('generated/openapi.yaml is stale. Run npm run generate first.')
  }
  await copyFile(generated, join(root, releasedFile))
  const accepted = await readFile(join(root, acceptedFile), 'utf8')
  const comments = accepted.split('\n').filter(line => line.startsWith('#'))
  await writeFile(join(root, acceptedFile), `${comments.join('\n')}\n`)
}

await runProgram(program)
