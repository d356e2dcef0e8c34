import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { releases } from '../../server/store/releases.ts'

const root = resolve(import.meta.dirname, '../..')
export const laterVersion = '99.0.0'

/** A copy of Quire as it could be one release later. */
export interface LaterVersion {
  /** The file that starts it, as `server/main.ts` starts this version. */
  main: string
  remove(): void
}

/** Makes a copy of these sources that is one version later and has one more migration of the main database. */
export function makeLaterVersion(migration: string): LaterVersion {
  const folder = mkdtempSync(join(tmpdir(), 'quire-later-'))
  const folders = ['server', 'spec', 'generated', '.github']
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'CHANGELOG.md', 'LICENSE']
  for (const name of [...folders, ...files]) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...about, version: laterVersion }))
  const last = releases.at(-1)
  const main = (last?.main ?? 0) + 1
  writeFileSync(join(folder, `server/store/migrations/0${main}-later.sql`), migration)
  const known = join(folder, 'server/store/releases.ts')
  const text = readFileSync(known, 'utf8')
  const added = `{ version: '${laterVersion}', main: ${main}, visits: ${last?.visits} }]`
  writeFileSync(known, text.replace(/\]\n/, `, ${added}\n`))
  return { main: join(folder, 'server/main.ts'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
