import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Creates the folders of a job, with one page. `onCreated` gets the folder around them. */
export function createJobFolders(onCreated: (folder: string) => void): { work: string; home: string; scratch: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'quire-session-')))
  onCreated(folder)
  const folders = { work: join(folder, 'work'), home: join(folder, 'home'), scratch: join(folder, 'scratch') }
  for (const path of [join(folders.work, 'docs'), folders.home, folders.scratch]) mkdirSync(path, { recursive: true })
  writeFileSync(join(folders.work, 'docs/a.md'), '# A\n\nThis is teh page.\n')
  return folders
}
