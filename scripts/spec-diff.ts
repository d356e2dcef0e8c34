import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command, Option } from 'commander'
import { OperatorError } from '../server/base/operator-error.ts'
import { bundleDocument } from './generate/document.ts'
import { addProblems } from './generate/problems.ts'
import { runProgram } from './run-program.ts'
import type { Change } from './spec-diff/change.ts'
import { writeChangelog } from './spec-diff/changelog.ts'
import { isSame, type Part } from './spec-diff/part.ts'
import { printChanges } from './spec-diff/print.ts'
import { administration, compareWithReleased, extensions, type Guarded, readDocument } from './spec-diff/released.ts'
import type { Verdict } from './spec-diff/verdict.ts'

const root = join(import.meta.dirname, '..')
const changelogFile = join(root, 'CHANGELOG.md')

interface Flags {
  released?: string
  json?: boolean
  extensions?: boolean
  write?: boolean
  release?: boolean
}

const program = new Command('npm run spec:diff --')
  .description(
    'Compare spec/ with the released document, and judge each change: breaking, not breaking or documentation. Exit with 1 if a change is breaking and the major version is not higher.',
  )
  .addOption(
    new Option('--released <file>', 'document to compare with (default: in spec/released/)').env('QUIRE_SPEC_RELEASED'),
  )
  .addOption(new Option('--extensions', 'compare the document of spec/extensions/').env('QUIRE_SPEC_DIFF_EXTENSIONS'))
  .addOption(new Option('--json', 'print JSON').env('QUIRE_SPEC_DIFF_JSON'))
  .addOption(new Option('--write', 'write the changes to CHANGELOG.md').env('QUIRE_SPEC_DIFF_WRITE'))
  .addOption(
    new Option('--release', 'make the generated document the released one, if it may be released').env(
      'QUIRE_SPEC_DIFF_RELEASE',
    ),
  )
  .addHelpText(
    'after',
    `
With --write and --release, the changelog is written first. If the document may not be released, --write still writes, and --release
changes nothing. Both say what they did; with --json, on standard error.

Exit codes: 0 may be released, 1 breaking without a new major version or failed, 2 wrong usage

Examples:
  npm run spec:diff
  npm run -s spec:diff -- --json
  npm run spec:diff -- --write
  npm run spec:diff -- --write --release
  npm run spec:diff -- --extensions
  npm run spec:diff -- --released ../released/openapi.json
`,
  )
  .exitOverride()
  .action(diff)

async function diff({ released, json, write, release, extensions: isExtensions }: Flags): Promise<void> {
  const guarded = isExtensions ? extensions : administration
  const document = addProblems(await bundleDocument(root, guarded.index)) as Part
  const { changes, verdict } = await compareWithReleased(root, document, guarded, released)
  if (json) console.log(JSON.stringify({ ...verdict, problem: verdict.problem ?? null, changes }, undefined, 2))
  else console.log(printChanges(changes, verdict))
  const say = json ? console.error : console.log
  const mayRelease = release && verdict.problem === undefined
  // Before anything is written.
  if (mayRelease) await checkGenerated(document, guarded)
  if (write) say(await updateChangelog(changes, verdict))
  if (mayRelease) say(await makeReleased(guarded))
  else if (release) say(`${guarded.released} is unchanged, because the document may not be released.`)
  if (verdict.problem) process.exitCode = 1
}

async function updateChangelog(changes: readonly Change[], verdict: Verdict): Promise<string> {
  const before = await readFile(changelogFile, 'utf8')
  const after = writeChangelog(before, changes, verdict)
  if (after === before) return 'CHANGELOG.md is unchanged.'
  await writeFile(changelogFile, after)
  if (changes.length === 0) return 'Removed the entry of the API from CHANGELOG.md, because nothing changed.'
  return `Wrote the changes of the API to CHANGELOG.md (${changes.length}).`
}

async function checkGenerated(document: Part, { generated }: Guarded): Promise<void> {
  if (isSame(await readDocument(join(root, generated)), document)) return
  throw new OperatorError(`${generated} is stale, so nothing was written. Run npm run generate first.`)
}

/** The accepted changes are part of the released document from now on. */
async function makeReleased({ generated, released, accepted }: Guarded): Promise<string> {
  await copyFile(join(root, generated), join(root, released))
  const entries = await readFile(join(root, accepted), 'utf8')
  const comments = entries.split('\n').filter(line => line.startsWith('#'))
  await writeFile(join(root, accepted), `${comments.join('\n')}\n`)
  return `Copied ${generated} to ${released}, and removed all entries of ${accepted}.`
}

await runProgram(program)
