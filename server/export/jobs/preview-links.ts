import { createHmac, timingSafeEqual } from 'node:crypto'
import type { LinkKeys } from './bundle-link.ts'

/** Signs and reads the names under which the pages of a bundle can be looked at. Each name is one label of a host name. */
export type PreviewLinks = ReturnType<typeof createPreviewLinks>

const lifetimeMs = 60 * 60_000

export function createPreviewLinks(keys: LinkKeys) {
  return {
    /** Returns a name that nobody can guess, for one hour. */
    create(jobId: string, now: number): string {
      const expires = Math.floor((now + lifetimeMs) / 1000).toString(36)
      return `${jobId.slice('se_'.length)}-${expires}-${sign(keys.current(), jobId, expires)}`
    },
    /** Returns the job of a name; undefined if this server did not make it, or if it has expired. */
    read(name: string, now: number): string | undefined {
      const [, id = '', expires = '', signature = ''] =
        /^([0-9a-f]{16})-([0-9a-z]{6,8})-([0-9a-f]{32})$/.exec(name) ?? []
      const leftMs = Number.parseInt(expires, 36) * 1000 - now
      if (!(leftMs > 0 && leftMs <= lifetimeMs)) return undefined
      const jobId = `se_${id}`
      const isSignedBy = (key: Buffer) =>
        timingSafeEqual(Buffer.from(signature), Buffer.from(sign(key, jobId, expires)))
      return [keys.current(), ...keys.replaced().map(({ key }) => key)].some(isSignedBy) ? jobId : undefined
    },
  }
}

function sign(key: Buffer, jobId: string, expires: string): string {
  return createHmac('sha256', key).update(`preview\n${jobId}\n${expires}`).digest('hex').slice(0, 32)
}
