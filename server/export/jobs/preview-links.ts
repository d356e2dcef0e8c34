import { createHmac, timingSafeEqual } from 'node:crypto'
import type { LinkKeys } from './bundle-link.ts'

/** Signs and reads the names under which the pages of a bundle can be looked at. Each name is one label of a host name. */
export type PreviewLinks = ReturnType<typeof createPreviewLinks>

const lifetimeMs = 60 * 60_000
const namePattern = /^([0-9a-f]{16})-([0-9a-z]{6,8})-([0-9a-f]{32})$/

/** Decides whether a text has the form of a name. Host names of other purposes have not. */
export function isPreviewName(text: string): boolean {
  return namePattern.test(text)
}

/** A name ends with its key: when the key is replaced, the pages are opened again from the dashboard. */
export function createPreviewLinks({ current }: Pick<LinkKeys, 'current'>) {
  return {
    /** Returns a name that nobody can guess, for one hour. */
    create(jobId: string, now: number): string {
      const expires = Math.floor((now + lifetimeMs) / 1000).toString(36)
      return `${jobId.slice('se_'.length)}-${expires}-${sign(current(), jobId, expires)}`
    },
    /** Returns the job of a name; undefined if no server with this key made it, or if it has expired. */
    read(name: string, now: number): string | undefined {
      const [, id = '', expires = '', signature = ''] = namePattern.exec(name) ?? []
      const leftMs = Number.parseInt(expires, 36) * 1000 - now
      if (!(leftMs > 0 && leftMs <= lifetimeMs)) return undefined
      const jobId = `se_${id}`
      const expected = sign(current(), jobId, expires)
      return timingSafeEqual(Buffer.from(signature), Buffer.from(expected)) ? jobId : undefined
    },
  }
}

function sign(key: Buffer, jobId: string, expires: string): string {
  return createHmac('sha256', key).update(`preview\n${jobId}\n${expires}`).digest('hex').slice(0, 32)
}
