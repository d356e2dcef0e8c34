import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** No linter and no compiler reads them. */
const unread = /\.(?:md|png|svg|webp|gz|zip)$/

/** Remembers for which files a step passed, so that it need not run again while they are the same. */
export interface PassedSteps {
  has(step: string): boolean
  /** Remembers that the step passed, or forgets it. */
  note(step: string, isPassed: boolean): void
}

/**
 * Opens the memory, which is in node_modules/.cache. The content of every file counts that git has or would add, not its time, and so do the
 * installed packages and the version of Node.
 *
 * @param root of the repository. Without git, nothing is remembered.
 */
export function openPassedSteps(root: string): PassedSteps {
  const state = hashFiles(root)
  const fileOf = (step: string) => join(root, 'node_modules/.cache/checks', step.replaceAll(/\W+/g, '-'))
  return {
    has: step => state !== undefined && readOrNothing(fileOf(step))?.toString() === state,
    note(step, isPassed) {
      const file = fileOf(step)
      // Files that changed while the step ran may not have been checked.
      if (!isPassed || state === undefined || hashFiles(root) !== state) return rmSync(file, { force: true })
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, state)
    },
  }
}

function hashFiles(root: string): string | undefined {
  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  if (listed.status !== 0) return undefined
  const names = new Set(listed.stdout.toString().split('\0'))
  const hash = createHash('sha256').update(process.version)
  for (const name of [...names, 'node_modules/.package-lock.json'].sort()) {
    if (unread.test(name)) continue
    const bytes = readOrNothing(join(root, name))
    hash.update(`\0${name}\0${bytes?.length}\0`).update(bytes ?? '')
  }
  return hash.digest('hex')
}

/** undefined = there is no such file. A link to a folder counts as none. */
function readOrNothing(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
