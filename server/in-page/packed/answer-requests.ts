import type { FileContent, PackedFiles } from './packed-file.ts'

/** The properties that an answered request has beside those of its class. */
const answered = [
  ...['readyState', 'status', 'statusText', 'responseURL', 'response', 'responseText', 'responseXML'],
  ...['getResponseHeader', 'getAllResponseHeaders'],
]

/** Answers XMLHttpRequests for packed files. Every other request stays as it is, also one that does not wait. */
export function answerRequests(files: PackedFiles): void {
  const { open, send, abort } = XMLHttpRequest.prototype
  const asked = new WeakMap<XMLHttpRequest, { address: string }>()
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...given: unknown[]) {
    const [method, url, isAsync = true] = given
    const address = isAsync && /^(?:GET|HEAD)$/i.test(String(method)) ? files.find(url) : null
    for (const name of answered) Reflect.deleteProperty(this, name)
    asked.delete(this)
    if (address === null) {
      files.onOther?.(url)
      return Reflect.apply(open, this, given)
    }
    asked.set(this, { address })
    // A worker has no base for relative addresses.
    return Reflect.apply(open, this, [method, address])
  } as typeof open
  XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body) {
    const request = asked.get(this)
    if (!request) return Reflect.apply(send, this, [body])
    const isWanted = () => asked.get(this) === request
    files.read(request.address).then(
      file => isWanted() && answer(this, request.address, file),
      () => isWanted() && Reflect.apply(send, this, [body]),
    )
  }
  XMLHttpRequest.prototype.abort = function (this: XMLHttpRequest) {
    asked.delete(this)
    Reflect.apply(abort, this, [])
  }
}

function answer(request: XMLHttpRequest, address: string, file: FileContent): void {
  const define = (name: string, get: () => unknown) => {
    Object.defineProperty(request, name, { configurable: true, get })
  }
  const headers: Record<string, string> = { 'content-type': file.type, 'content-length': String(file.bytes.length) }
  let state = 1
  define('readyState', () => state)
  define('status', () => 200)
  define('statusText', () => 'OK')
  define('responseURL', () => address)
  define('getResponseHeader', () => (name: string) => headers[name.toLowerCase()] ?? null)
  define(
    'getAllResponseHeaders',
    () => () =>
      Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join(''),
  )
  const read = lazily(() => readAs(request.responseType, file))
  const text = lazily(() => decode(file))
  define('response', () => (state === 4 ? read() : null))
  define('responseText', () => (state >= 3 ? text() : ''))
  define('responseXML', () => (state === 4 ? readDocument(file) : null))
  for (state = 2; state <= 4; state += 1) {
    request.dispatchEvent(new Event('readystatechange'))
    if (state === 4) break
  }
  const sizes = { lengthComputable: true, loaded: file.bytes.length, total: file.bytes.length }
  for (const name of ['progress', 'load', 'loadend']) request.dispatchEvent(new ProgressEvent(name, sizes))
}

/** Returns a function that computes its value once. */
function lazily<T>(compute: () => T): () => T {
  let known: { value: T } | null = null
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

function readAs(responseType: XMLHttpRequestResponseType, file: FileContent): unknown {
  if (responseType === 'arraybuffer') return file.bytes.slice().buffer
  if (responseType === 'blob') return new Blob([file.bytes], { type: file.type })
  if (responseType === 'document') return readDocument(file)
  if (responseType !== 'json') return decode(file)
  try {
    return JSON.parse(decode(file))
  } catch {
    return null
  }
}

function decode({ bytes }: FileContent): string {
  return new TextDecoder().decode(bytes)
}

function readDocument(file: FileContent): Document | null {
  const type = /^(?:text\/html|application\/xhtml\+xml|image\/svg\+xml|(?:text|application)\/xml)/.exec(file.type)?.[0]
  // A worker has no documents.
  if (!type || typeof DOMParser === 'undefined') return null
  return new DOMParser().parseFromString(decode(file), type as DOMParserSupportedType)
}
