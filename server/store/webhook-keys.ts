import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { OperatorError } from '../base/operator-error.ts'
import type { SecretBox } from '../webhooks/webhook.ts'
import { fingerprintWebhookKey } from './key-fingerprints.ts'
import { openSecret } from './secret-file.ts'
import { readSharedKeys } from './shared-keys.ts'

const cipher = 'aes-256-gcm'
const fingerprintBytes = 8
const nonceBytes = 12
const tagBytes = 16

/**
 * Opens the keys that encrypt the secrets of webhooks, and the signing keys and recorded logins of sites: those of a file that several
 * servers have, whose first encrypts, or
 * `webhook.key` in the data folder, which is created when it is first used. Each call reads the file.
 *
 * An encrypted secret is the fingerprint of its key, a nonce, a tag and the text (AES-256-GCM). It belongs to one webhook or site.
 */
export function openSecretBox(dataFolder: string, sharedFile: string | undefined): SecretBox {
  const readKeys = (): [Buffer, ...Buffer[]] =>
    sharedFile === undefined
      ? [openSecret(join(dataFolder, 'webhook.key'))]
      : readSharedKeys('--webhook-key-file', sharedFile)
  return {
    seal(id, secret) {
      const [key] = readKeys()
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(id))
      const text = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final()])
      return Buffer.concat([fingerprintWebhookKey(key), nonce, sealing.getAuthTag(), text])
    },
    open(id, sealed) {
      const bytes = Buffer.from(sealed)
      const [nonceAt, tagAt] = [fingerprintBytes, fingerprintBytes + nonceBytes]
      const key = readKeys().find(each => fingerprintWebhookKey(each).equals(bytes.subarray(0, nonceAt)))
      if (!key) {
        throw new OperatorError(
          `This machine does not have the key that encrypted the ${isLogin(id) ? '' : 'secret of '}${id}. Restore webhook.key from a backup, or give ` +
            `all servers and commands the same --webhook-key-file. If the key is lost, ${remedyOf(id)}`,
        )
      }
      const opening = createDecipheriv(cipher, key, bytes.subarray(nonceAt, tagAt), { authTagLength: tagBytes })
      opening.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(tagAt, tagAt + tagBytes))
      return Buffer.concat([opening.update(bytes.subarray(tagAt + tagBytes)), opening.final()]).toString('utf8')
    },
  }
}

/** The secrets of webhooks have the id of one; those of sites have a domain, and logins the command that records them. */
function remedyOf(owner: string): string {
  if (isLogin(owner)) return `record the login again with: npx quire ${owner}`
  return owner.startsWith('wh_')
    ? `make a new secret with: npx quire webhooks rotate ${owner}`
    : `give the signing key again with: npx quire sites set-signing-key ${owner} KEY-FILE`
}

function isLogin(owner: string): boolean {
  return owner.startsWith('login ')
}
