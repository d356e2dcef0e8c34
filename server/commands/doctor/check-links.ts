import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mainDatabase } from '../../store/backup/data-files.ts'
import { countLinkedExports } from '../../store/inspect-database.ts'
import { secretBytes } from '../../store/secret-file.ts'
import { type Finding, fail, messageOf, ok, warn } from './finding.ts'

const answerWithinMs = 5000
const everyAddress = /^(0\.0\.0\.0|\[::\])$/
const thisMachine = /^(localhost|127\.[\d.]+|\[::1\])$/
const setPublicUrl = 'Set the address that clients use: QUIRE_PUBLIC_URL or serve --public-url'

/** Checks the key of bundle links in a data folder. */
export async function checkLinkKey(dataFolder: string, now: number): Promise<Finding> {
  const file = join(dataFolder, 'link.key')
  const stats = await stat(file).catch(() => null)
  if (stats?.size === secretBytes) return ok('links', 'link.key is there.')
  const linked = countLinks(dataFolder, now)
  if (!stats && linked > 0) {
    const message = `link.key is missing, and links to ${linked} bundles have not expired.`
    return fail('links', message, 'Restore link.key from a backup. With a new key, those links stop working.')
  }
  if (stats) {
    const message = `link.key has ${stats.size} bytes, not ${secretBytes}.`
    return fail(
      'links',
      message,
      'Restore it from a backup, or delete it. With a new key, existing links stop working.',
    )
  }
  return ok('links', 'There is no link.key yet. The server makes it at its first start.')
}

function countLinks(dataFolder: string, now: number): number {
  try {
    return countLinkedExports(join(dataFolder, mainDatabase), now)
  } catch {
    // The check of the databases explains why.
    return 0
  }
}

/**
 * Checks the address in bundle links.
 *
 * @param publicUrl where clients reach the server; undefined = not set
 */
export async function checkAddress(publicUrl: string | undefined): Promise<Finding> {
  if (publicUrl === undefined) {
    return warn(
      'links',
      'No public address is set. Bundle links contain the address that the server listens on.',
      setPublicUrl,
    )
  }
  const { hostname } = new URL(publicUrl)
  if (everyAddress.test(hostname)) {
    return fail(
      'links',
      `Bundle links contain ${publicUrl}, which is not an address that clients can use.`,
      setPublicUrl,
    )
  }
  if (thisMachine.test(hostname)) {
    return warn('links', `Bundle links contain ${publicUrl}, which only this machine reaches.`, setPublicUrl)
  }
  const problem = await askHealth(publicUrl)
  if (problem === null) return ok('links', `${publicUrl} answers.`)
  const remedy = 'Start the server and the proxy before it, and check the name and the certificate.'
  return warn('links', `${publicUrl}/healthz does not answer from here: ${problem}.`, remedy)
}

/** Returns the problem; null = the server answers. */
async function askHealth(publicUrl: string): Promise<string | null> {
  try {
    const answer = await fetch(`${publicUrl}/healthz`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(answerWithinMs),
    })
    return answer.status === 200 ? null : `status ${answer.status}`
  } catch (error) {
    const { cause } = error as Error
    return messageOf(cause ?? error)
  }
}
