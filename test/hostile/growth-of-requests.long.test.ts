import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { readAgentJob } from '../../server/agent/agent-job-file.ts'
import { isInRanges, parseAddressRange } from '../../server/base/address-range.ts'
import { escapeControls } from '../../server/base/escape-controls.ts'
import { findNearestName } from '../../server/base/nearest-name.ts'
import { isFromOwnPage } from '../../server/dashboard/http/same-origin.ts'
import { readSessionCookie } from '../../server/dashboard/http/session-cookie.ts'
import { createClientFinder } from '../../server/host/serve/client-address.ts'
import { findMediaType } from '../../server/host/serve/media-types.ts'
import { adaptNotFoundPage } from '../../server/host/serve/page-head.ts'
import { matchesAny, matchesStrongly, readAccepted, readRange } from '../../server/host/serve/site-handler.ts'
import { correctRange, findRange } from '../../server/http/byte-range.ts'
import { chooseMediaType, isJson } from '../../server/http/media-type.ts'
import { findBadForm } from '../../server/http/request-form.ts'
import { safeRequestId } from '../../server/http/request-id.ts'
import { findRoute } from '../../server/http/routes.ts'
import { readForwardedAddress } from '../../server/http/server-address.ts'
import { isWellFormedKey } from '../../server/tenancy/api-key.ts'
import { isId } from '../../server/tenancy/id.ts'
import { readName } from '../../server/tenancy/name.ts'
import { parseAllowedOrigin, parseDomain, parseOrigin } from '../../server/tenancy/site.ts'
import { createEntryNames } from '../../server/unpack/entry-names.ts'
import { fragments, measureGrowth } from './growth.ts'

/** Twelve times what Node accepts of the headers of a request. */
const maxLength = 188_000

const trusted = ['10.0.0.0/8', '::1'].flatMap(text => parseAddressRange(text) ?? [])
const findClient = createClientFinder(trusted)
const asRequest = <T>(request: object) => request as T
const readForwarded = (headers: Record<string, string>) =>
  readForwardedAddress({ host: 'a.example', ...headers }, { isTrusted: text => isInRanges(text, trusted), prefix: '' })
const job = { id: 'a', status: 'active', source: { repository: 'https://a.example/b' }, model: 'm', createdAt: '' }
const readJob = (fields: object) => readAgentJob(JSON.stringify({ ...job, ...fields }), 'prj_1', 0)

test.each<[string, (text: string) => unknown]>([
  ['Range of a site', text => readRange(text, 1000)],
  ['Range of a site with a unit', text => readRange(`bytes=${text}-x`, 1000)],
  ['Range of a site after a position', text => readRange(`bytes=1${text}-${text}x`, 1000)],
  ['Range of a bundle', text => correctRange(`bytes=${text}-x`, 1000)],
  ['Range of a bundle after a position', text => correctRange(`bytes=1${text}-${text}x`, 1000)],
  ['If-Range of a bundle', text => findRange('GET', { range: 'bytes=0-1', 'if-range': text })],
  ['If-Range of a site', text => matchesStrongly(text, '"a"')],
  ['If-None-Match', text => matchesAny(text, '"a"')],
  ['Accept-Encoding', readAccepted],
  ['Accept-Encoding with white space in it', text => readAccepted(`gzip${text}x`)],
  ['Accept-Encoding after a coding', text => readAccepted(`gzip${text};${text}q=x`)],
  ['Accept', text => chooseMediaType(`text/csv;${text}q=x`, ['application/json', 'text/csv'])],
  ['Content-Type', isJson],
  ['the charset of Content-Type', text => isJson(`application/json;${text}charset=${text}x`)],
  ['Forwarded', text => readForwarded({ forwarded: text })],
  ['Forwarded after an element', text => readForwarded({ forwarded: `for=10.0.0.1;${text}x` })],
  ['a quoted value of Forwarded', text => readForwarded({ forwarded: `for="${text}` })],
  ['an address in Forwarded', text => readForwarded({ forwarded: `for="[::1]", for="${text.replaceAll('"', '')}"` })],
  ['X-Forwarded-Host', text => readForwarded({ 'x-forwarded-proto': 'https', 'x-forwarded-host': `${text}x` })],
  ['X-Forwarded-Prefix', text => readForwarded({ 'x-forwarded-proto': 'https', 'x-forwarded-prefix': `/${text}x` })],
  [
    'X-Forwarded-For',
    text => findClient(asRequest({ socket: { remoteAddress: '::1' }, headers: { 'x-forwarded-for': `${text}x` } })),
  ],
  ['Cookie', text => readSessionCookie(asRequest({ headers: { cookie: text } }), 'https://a.example')],
  [
    'a session',
    text => readSessionCookie(asRequest({ headers: { cookie: `quire_session=${text}` } }), 'https://a.example'),
  ],
  ['Origin', text => isFromOwnPage(asRequest({ headers: { origin: text }, get: () => text }), 'https://a.example')],
  [
    'Host',
    text =>
      findBadForm(
        asRequest<IncomingMessage>({ httpVersionMajor: 1, rawHeaders: ['Host', ''], headers: { host: text } }),
      ),
  ],
  ['X-Request-Id', text => safeRequestId(text)],
  ['a key', text => isWellFormedKey('qk_', `qk_${text}`)],
  ['a request target', text => findRoute('GET', `/v1/agent/${text}`)],
  ['a path of a site', findMediaType],
  ['a name in a query', text => findNearestName(text, ['dateFrom', 'dateTo'])],
  ['a control character in a log', escapeControls],
  ['an identifier', text => isId(`org_${text}`)],
  ['a name', readName],
  ['a domain', parseDomain],
  ['an origin', text => parseOrigin(`https://${text}`)],
  ['an allowed origin', text => parseAllowedOrigin(`https://${text}`)],
  ['a page for missing addresses', text => adaptNotFoundPage(Buffer.from(`${text}x`))],
  ['a head of a page for missing addresses', text => adaptNotFoundPage(Buffer.from(`<head${text}`.repeat(2)))],
  ['tags of a page for missing addresses', text => adaptNotFoundPage(Buffer.from(text.replaceAll('<a ', '<base ')))],
  ['a name in an archive', text => createEntryNames().check(text, false)],
  ['an agent job', text => readAgentJob(text, 'prj_1', 0)],
  ['the repository of an agent job', text => readJob({ source: { repository: `https://a.example/${text}` } })],
  ['the host of a repository', text => readJob({ source: { repository: `https://${text}` } })],
  ['the id of an agent job', text => readJob({ id: text })],
  ['the time of an agent job', text => readJob({ createdAt: `2026-11-20T${text}` })],
])('%s is read in linear time', async (_, parse) => {
  expect(await measureGrowth(parse, fragments, maxLength)).toEqual([])
})
