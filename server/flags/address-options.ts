import { isIPv6 } from 'node:net'
import { InvalidArgumentError, Option } from 'commander'
import ipaddr from 'ipaddr.js'
import { type AddressRange, parseAddressRange } from '../base/address-range.ts'
import { OperatorError } from '../base/operator-error.ts'
import type { Config } from '../config.ts'
import { integer } from './integer.ts'
import { nonEmpty } from './non-empty.ts'

/** The parsed flags. */
export interface AddressFlags {
  host: string
  port: number
  publicUrl?: string
  trustedProxies?: AddressRange[]
  corsOrigin?: string[]
}

/** Characters that bundle links may contain, because clients paste them into shells. */
const linkCharacters = /^[A-Za-z0-9:/._~%+-]+$/

/** The options of `serve` for the address that it listens on, and for those that clients use. */
export function addressOptions(): Option[] {
  return [
    new Option('--host <address>', 'address to listen on; 0.0.0.0 = all addresses of this machine')
      .env('QUIRE_HOST')
      .default('127.0.0.1')
      .argParser(
        nonEmpty('an address of this machine, such as 127.0.0.1. To listen on all addresses, use 0.0.0.0 or ::'),
      ),
    new Option('--port <number>', 'port to listen on; 0 = any free port')
      .env('QUIRE_PORT')
      .default(8787)
      .argParser(integer(0, 65535)),
    new Option('--public-url <url>', 'where clients reach this server (default: http://host:port)').env(
      'QUIRE_PUBLIC_URL',
    ),
    new Option(
      '--trusted-proxies <ranges>',
      'addresses or CIDR ranges of proxies whose Forwarded and X-Forwarded-* headers say where clients reach this server and who they are; ' +
        'repeat it or separate them by commas (default: none)',
    )
      .env('QUIRE_TRUSTED_PROXIES')
      .argParser(addRanges),
    new Option(
      '--cors-origin <url>',
      'origin whose scripts may call the API from a browser; repeat it or separate them by commas (default: none)',
    )
      .env('QUIRE_CORS_ORIGIN')
      .argParser(addOrigins),
  ]
}

/** @throws {OperatorError} when the public URL cannot be the beginning of a link. */
export function readAddresses(
  flags: AddressFlags,
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
  return url.href.replace(/\/+$/, '')
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
