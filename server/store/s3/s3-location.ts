import { OperatorError } from '../../base/operator-error.ts'

/** Where bundles are stored in S3-compatible storage. */
export interface S3Location {
  bucket: string
  /** The beginning of every key: empty, or with a slash at the end. */
  prefix: string
  /** The address of the storage, without a trailing slash; undefined = Amazon S3, or AWS_ENDPOINT_URL_S3. */
  endpoint: string | undefined
  /** Undefined = AWS_REGION or the shared configuration of AWS. */
  region: string | undefined
  /** Whether the bucket is in the path of an address, not in its host name. */
  isPathStyle: boolean
}

/** Storage other than Amazon's usually ignores the region. */
const defaultRegion = 'us-east-1'

/** Where the text of a location comes from, as messages name it, and what its prefix may be. */
export interface LocationSource {
  given: string
  readPrefix(path: string, given: string): string
}

const ofBundles: LocationSource = { given: '--bundles', readPrefix: readFolder }

/**
 * Reads `s3://BUCKET/PREFIX?endpoint=URL&region=NAME&path-style=true|false`. Messages do not repeat the text, because somebody
 * may have written a secret into it.
 *
 * @throws {OperatorError} wrong usage
 */
export function parseS3Location(text: string, { given, readPrefix } = ofBundles): S3Location {
  const subject = given.charAt(0).toUpperCase() + given.slice(1)
  const usage = `${subject} must be like s3://BUCKET/PREFIX or s3://BUCKET/PREFIX?endpoint=https://s3.example.com:9000`
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.hash !== '') throw new OperatorError(`${usage}.`, 2)
  if (url.username !== '' || url.password !== '' || url.port !== '') {
    throw new OperatorError(
      `${usage}, without a name, password or port. Give the credentials with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
      2,
    )
  }
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new OperatorError(`${usage}. A bucket has 3 to 63 lower-case letters, digits, dots and hyphens.`, 2)
  }
  const parameters = readParameters(url.searchParams, usage)
  const endpoint = parameters.endpoint === undefined ? undefined : readEndpoint(parameters.endpoint, given)
  return {
    bucket,
    prefix: readPrefix(url.pathname, given),
    endpoint,
    region: parameters.region ?? (endpoint === undefined ? undefined : defaultRegion),
    // Most storage other than Amazon's has no host name for each bucket.
    isPathStyle: readPathStyle(parameters['path-style'], given) ?? endpoint !== undefined,
  }
}

/** Shows a location in a message or a log. */
export function showS3Location({ bucket, prefix, endpoint }: S3Location): string {
  return `s3://${bucket}/${prefix}${endpoint === undefined ? '' : ` at ${endpoint}`}`
}

/** Returns the address of a location, which `parseS3Location` reads. It has no secrets. */
export function toS3Url({ bucket, prefix, endpoint, region, isPathStyle }: S3Location): string {
  const parameters = Object.entries({
    endpoint,
    region: endpoint !== undefined && region === defaultRegion ? undefined : region,
    'path-style': isPathStyle === (endpoint !== undefined) ? undefined : String(isPathStyle),
  }).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
  const query = parameters.join('&').replaceAll('%3A', ':').replaceAll('%2F', '/')
  return `s3://${[bucket, ...prefix.split('/')].filter(part => part !== '').join('/')}${query === '' ? '' : `?${query}`}`
}

type Parameters = Partial<Record<'endpoint' | 'region' | 'path-style', string>>

function readParameters(all: URLSearchParams, usage: string): Parameters {
  const known = ['endpoint', 'region', 'path-style']
  const unknown = [...all.keys()].some(name => !known.includes(name) || all.getAll(name).length > 1)
  if (unknown) throw new OperatorError(`${usage}. The parameters are ${known.join(', ')}, each once.`, 2)
  return Object.fromEntries(all) as Parameters
}

function readEndpoint(text: string, given: string): string {
  const url = URL.parse(text)
  const isPlain =
    url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && url.search + url.hash === ''
  if (!isPlain) throw new OperatorError(`The endpoint in ${given} must be like https://s3.example.com:9000.`, 2)
  return url.href.replace(/\/$/, '')
}

function readFolder(path: string, given: string): string {
  const parts = path.split('/').filter(part => part !== '')
  if (!parts.every(part => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))) {
    throw new OperatorError(`The prefix in ${given} may have letters, digits, _ . - and slashes.`, 2)
  }
  return parts.map(part => `${part}/`).join('')
}

function readPathStyle(text: string | undefined, given: string): boolean | undefined {
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') throw new OperatorError(`path-style in ${given} must be true or false.`, 2)
  return text === 'true'
}
