import { isIPv6 } from 'node:net'
import { InvalidArgumentError } from 'commander'
import ipaddr from 'ipaddr.js'
import { type AddressRange, parseAddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Config } from '../config.ts'
import { type FlagsOf, integer, nonEmpty, type Settings } from './setting.ts'

/** Characters that bundle links may contain, because clients paste them into shells. */
const linkCharacters = /^[A-Za-z0-9:/._~%+-]+$/

/** The settings of `serve` for the address that it listens on, and for those that clients use. */
export const addressSettings = {
  host: {
    flag: '--host <address>',
    env: 'QUIRE_HOST',
    what: 'address to listen on; 0.0.0.0 = all addresses of this machine',
    default: '127.0.0.1',
    read: nonEmpty('an address of this machine, such as 127.0.0.1. To listen on all addresses, use 0.0.0.0 or ::'),
  },
  port: {
    flag: '--port <number>',
    env: 'QUIRE_PORT',
    what: 'port to listen on; 0 = any free port',
    default: 8787,
    read: integer(0, 65535),
  },
  publicUrl: {
    flag: '--public-url <url>',
    env: 'QUIRE_PUBLIC_URL',
    what: 'where clients reach this server (default: http://host:port)',
  },
  trustedProxies: {
    flag: '--trusted-proxies <ranges>',
    env: 'QUIRE_TRUSTED_PROXIES',
    what:
      'addresses or CIDR ranges of proxies whose Forwarded and X-Forwarded-* headers say where clients reach this server and who they are; ' +
      'repeat it or separate them by commas (default: none)',
    read: addRanges,
  },
  corsOrigin: {
    flag: '--cors-origin <url>',
    env: 'QUIRE_CORS_ORIGIN',
    what: 'origin whose scripts may call the API from a browser; repeat it or separate them by commas (default: none)',
    read: addOrigins,
  },
} as const satisfies Settings

/** @throws {OperatorError} when the public URL cannot be the beginning of a link. */
export function readAddresses(
  flags: FlagsOf<typeof addressSettings>,
): Pick<Config, 'host' | 'port' | 'publicUrl' | 'trustedProxies' | 'corsOrigins'> {
  const { host, port, trustedProxies = [], corsOrigin = [] } = flags
  const publicUrl = flags.publicUrl === undefined ? undefined : readPublicUrl(flags.publicUrl)
  const isUnlinkable = isIPv6(host) && !['unspecified', 'loopback'].includes(ipaddr.parse(host).range())
  if (publicUrl === undefined && isUnlinkable) {
    throw new OperatorError(
      `--host ${host} needs --public-url, because bundle links cannot contain an IPv6 address.`,
      2,
    )
  }
  return { host, port, publicUrl, trustedProxies, corsOrigins: corsOrigin }
}

function readPublicUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new OperatorError('--public-url must be an http(s) URL, such as https://api.example.com', 2)
  }
  if (/[?#]/.test(text)) {
    throw new OperatorError(
      '--public-url must have no query and no fragment, because links continue it with a path.',
      2,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new OperatorError('--public-url must have no user and no password, because every link would show them.', 2)
  }
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') {
    throw new OperatorError(`--public-url must name an address that clients can reach, not ${url.hostname}.`, 2)
  }
  if (!linkCharacters.test(url.href)) {
    throw new OperatorError(
      '--public-url must have only letters, digits and : / . _ ~ % + -, because links are pasted into shells.',
      2,
    )
  }
  return url.href.replace(/(?<!\/)\/+$/, '')
}

function addRanges(text: string, before: AddressRange[] = []): AddressRange[] {
  const ranges = text.split(',').map(part => {
    const range = parseAddressRange(part.trim())
    if (!range) throw new InvalidArgumentError('Write addresses or CIDR ranges, such as 127.0.0.1 or 10.0.0.0/8.')
    return range
  })
  return [...before, ...ranges]
}

/** Adds the origins of a list to those given before; for an option that can be repeated. */
export function addOrigins(text: string, before: string[] = []): string[] {
  const origins = text.split(',').map(part => {
    const url = URL.parse(part.trim())
    if (!url || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      throw new InvalidArgumentError('Write an origin: scheme, host and port only, such as https://app.example.com.')
    }
    return url.origin
  })
  return [...before, ...origins]
}
