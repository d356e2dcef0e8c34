import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Awaitable } from '../base/awaitable.ts'
import { OperatorError } from '../base/operator-error.ts'
import { type LinkKeys, maxLinkTtlSeconds, type ReplacedKey } from '../export/jobs/bundle-link.ts'
import { openSecret, secretBytes } from './secret-file.ts'

const currentName = 'link.key'
/** The keys that `quire links rotate` replaced, as JSON. */
const replacedName = 'link-replaced.key'

/**
 * Opens the keys of the bundle links. Each call reads the files, so that a rotation by another process works at once. A file
 * that cannot be read any more leaves the keys as they were.
 *
 * @throws {OperatorError} if a file cannot be read or is damaged.
 */
export function openLinkKeys(dataFolder: string): LinkKeys {
  const currentFile = join(dataFolder, currentName)
  const replacedFile = join(dataFolder, replacedName)
  let current = openSecret(currentFile)
  let replaced = readReplaced(replacedFile)
  return {
    current() {
      current = readSafely(() => checkLength(readFileSync(currentFile)), current)
      return current
    },
    replaced() {
      replaced = readSafely(() => readReplaced(replacedFile), replaced)
      return replaced
    },
  }
}

/** Whether a data folder has a link key. */
export function hasLinkKey(dataFolder: string): boolean {
  return existsSync(join(dataFolder, currentName))
}

/**
 * Signs new links with a new key. Links of the old keys work until they expire.
 *
 * @param findLastLinkEnd returns when the last link ends, in milliseconds since 1970; undefined = none works. It is asked after
 *   the key was replaced, so that a link that was signed meanwhile goes on working.
 * @returns what `findLastLinkEnd` returned
 */
export async function rotateLinkKey(
  dataFolder: string,
  now: number,
  findLastLinkEnd: () => Awaitable<number | undefined>,
): Promise<number | undefined> {
  const replacedFile = join(dataFolder, replacedName)
  const key = openSecret(join(dataFolder, currentName))
  const kept = readReplaced(replacedFile).filter(({ validUntil }) => validUntil >= now)
  const longest = now + maxLinkTtlSeconds * 1000
  // First the old key, and for as long as a link can live: a process that is killed in between makes no link void.
  replaceFile(replacedFile, toJson([...kept, { key, validUntil: longest }]))
  replaceFile(join(dataFolder, currentName), randomBytes(secretBytes))
  const lastLinkEndsAt = await findLastLinkEnd()
  // A link that was made before the clock was set back ends later than any link can.
  const validUntil = Math.min(lastLinkEndsAt ?? 0, longest)
  const replaced = lastLinkEndsAt === undefined ? kept : [...kept, { key, validUntil }]
  if (replaced.length > 0) replaceFile(replacedFile, toJson(replaced))
  else rmSync(replacedFile, { force: true })
  return lastLinkEndsAt
}

/** Makes every existing link void: forgets all keys, and signs new links with a new one. */
export function revokeLinkKeys(dataFolder: string): void {
  rmSync(join(dataFolder, replacedName), { force: true })
  replaceFile(join(dataFolder, currentName), randomBytes(secretBytes))
}

function toJson(keys: readonly ReplacedKey[]): string {
  const entries = keys.map(({ key, validUntil }) => ({
    key: key.toString('hex'),
    validUntil: new Date(validUntil).toISOString(),
  }))
  return `${JSON.stringify(entries)}\n`
}

function readReplaced(file: string): ReplacedKey[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return []
    throw new OperatorError(`${file} cannot be read (${code}). Check the disk, or restore the file from a backup.`)
  }
  try {
    const entries = JSON.parse(text) as { key: string; validUntil: string }[]
    return entries.map(({ key, validUntil }) => {
      const at = Date.parse(validUntil)
      if (Number.isNaN(at)) throw new Error('validUntil is not a time')
      return { key: checkLength(Buffer.from(key, 'hex')), validUntil: at }
    })
  } catch {
    throw new OperatorError(
      `${file} is damaged. Restore it from a backup, or delete it: the links of older keys then stop.`,
    )
  }
}

function checkLength(secret: Buffer): Buffer {
  if (secret.length !== secretBytes) throw new Error(`A key has ${secret.length} bytes, not ${secretBytes}.`)
  return secret
}

function readSafely<T>(read: () => T, before: T): T {
  try {
    return read()
  } catch {
    return before
  }
}

/** Replaces a private file in one step. */
function replaceFile(file: string, content: string | Buffer): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
