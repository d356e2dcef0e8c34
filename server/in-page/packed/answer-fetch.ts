import type { PackedFiles } from './packed-file.ts'

/** Answers `fetch` of packed files. Every other request stays as it is. */
export function answerFetch(files: PackedFiles): void {
  const { fetch } = globalThis
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request ? input : null
    const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
    const address = /^(?:GET|HEAD)$/.test(method) ? files.find(request?.url ?? input) : null
    const file = address === null ? null : await files.read(address).catch(() => null)
    if (!file) {
      files.onOther?.(request?.url ?? input)
      return fetch(input, init)
    }
    const signal = init?.signal ?? request?.signal
    signal?.throwIfAborted()
    const headers = { 'content-type': file.type, 'content-length': String(file.bytes.length) }
    const response = new Response(method === 'HEAD' ? null : file.bytes, { headers })
    Object.defineProperty(response, 'url', { value: address })
    return response
  }
}
