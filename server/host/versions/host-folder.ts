import { randomUUID } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { flushFile, flushFolder } from '../../base/flush.ts'
import { filesFolder, readVersion, type Version, type VersionSource, versionFile } from './version.ts'

/** Which version is served. */
export interface HostState {
  /** null = none yet. */
  current: string | null
  /** Versions that were rolled back. They are not served again unless a rollback names them. */
  held: string[]
  /** What the source sent last; null = nothing yet. */
  offered: { id: string; source: VersionSource } | null
}

/** The data folder of a host: complete versions side by side, the state, and unfinished work. */
export type HostFolder = ReturnType<typeof describeFolder>

const noState: HostState = { current: null, held: [], offered: null }

/** Opens the data folder, and creates it if it does not exist. */
export async function openHostFolder(path: string): Promise<HostFolder> {
  await mkdir(join(path, 'versions'), { recursive: true })
  await mkdir(join(path, 'incoming'), { recursive: true })
  return describeFolder(path)
}

/** Returns the data folder without creating anything. */
export function describeFolder(path: string) {
  const versions = join(path, 'versions')
  const incoming = join(path, 'incoming')
  const stateFile = join(path, 'state.json')
  const downloadPath = (address: string) => join(incoming, `${address.slice(0, 32)}.download`)
  return {
    path,
    /** Lists the complete versions, newest first. */
    list: () => listVersions(versions),
    pathOf: (id: string) => join(versions, id),
    readState: () => readState(stateFile),
    /** Replaces the state in one step. A power cut leaves the old one or the new one. */
    writeState: (state: HostState) => replaceFile(stateFile, writeJson(state)),
    /** Returns a text that changes when the state is replaced. */
    async stampState(): Promise<string> {
      const found = await stat(stateFile).catch(() => null)
      return found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
    },
    /** Returns a new path for an unfinished version. */
    workPath: () => join(incoming, `${randomUUID()}.work`),
    /** The path of an unfinished download. It survives a restart, so that the download goes on. */
    downloadPath,
    /** Moves an unfinished version, whose files are on the disk, to the complete ones. */
    async adopt(work: string, id: string): Promise<void> {
      const to = join(versions, id)
      // Left by a process that was killed, or damaged.
      await discard(to, incoming)
      await rename(work, to)
      await flushFolder(versions)
    },
    /** Replaces what is written about a complete version, in one step. */
    rewrite: (version: Version) => replaceFile(join(versions, version.id, versionFile), writeJson(version)),
    remove: (id: string) => discard(join(versions, id), incoming),
    /** Removes what killed processes left. The download of one address stays, so that it goes on. */
    async sweep(address: string | null): Promise<void> {
      const kept = address === null ? null : basename(downloadPath(address))
      for (const name of await readdir(incoming))
        if (kept === null || !name.startsWith(kept)) await remove(join(incoming, name))
      for (const name of await readdir(path)) if (/^state\.json\..*\.part$/.test(name)) await remove(join(path, name))
    },
  }
}

function writeJson(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Moves a version away before its files are removed, so that half a version is never among the complete ones. */
async function discard(folder: string, incoming: string): Promise<void> {
  const gone = join(incoming, `${basename(folder)}-${randomUUID()}.gone`)
  try {
    await rename(folder, gone)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  await remove(gone)
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

async function listVersions(folder: string): Promise<Version[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const found = await Promise.all(names.map(name => findVersion(folder, name)))
  return found.filter(version => version !== null).sort((a, b) => b.unpackedAt - a.unpackedAt)
}

async function findVersion(folder: string, name: string): Promise<Version | null> {
  const version = await readVersion(join(folder, name))
  if (version?.id !== name) return null
  const hasFiles = await access(join(folder, name, filesFolder)).then(
    () => true,
    () => false,
  )
  return hasFiles ? version : null
}

async function readState(file: string): Promise<HostState> {
  try {
    const { current, held, offered } = JSON.parse(await readFile(file, 'utf8')) as HostState
    return {
      current: typeof current === 'string' ? current : null,
      held: Array.isArray(held) ? held : [],
      offered: offered?.source ? offered : null,
    }
  } catch (error) {
    // Without a readable state, the newest version is served.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return noState
    throw error
  }
}

async function replaceFile(file: string, text: string): Promise<void> {
  const part = `${file}.${randomUUID()}.part`
  try {
    await writeFile(part, text)
    await flushFile(part)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await flushFolder(dirname(file))
}
