import { readFile } from 'node:fs/promises'
import { OperatorError } from '../../base/operator-error.ts'
import { signatureFile, signatureHeader } from '../../base/signature.ts'
import { FetchError } from '../../web/fetch/fetch-error.ts'
import { fetchSmall } from '../../web/fetch/fetch-small.ts'
import { type BundleSource, explain } from './fetch-bundle.ts'

interface SignatureOptions {
  timeoutMs: number
  signal: AbortSignal
}

/** Larger than any signature. */
const maxBytes = 4096

/**
 * Fetches the signature of a bundle, before the bundle: from a header of its link, as Quire sends it, or from the file with
 * `.sig` at the end of its name.
 *
 * @throws {OperatorError} when there is none, without the link.
 */
export async function fetchSignature(source: BundleSource, options: SignatureOptions): Promise<string> {
  if (source.kind === 'url') return download(source.url, options)
  const file = signatureFile(source.path)
  const text = (await readFile(file, 'utf8').catch(() => '')).trim()
  return text === '' ? refuse(`there is no ${file}`) : text
}

async function download(url: URL, options: SignatureOptions): Promise<string> {
  try {
    const answer = await fetchSmall(url, { method: 'HEAD', maxBytes, ...options })
    const header = answer.header(signatureHeader.toLowerCase())
    if (answer.status === 200 && header !== undefined) return header
    const beside = new URL(url)
    beside.pathname = signatureFile(beside.pathname)
    const { status, text } = await fetchSmall(beside, { method: 'GET', maxBytes, ...options })
    if (status === 200 && text !== '') return text.trim()
    // The link itself may be the reason.
    if (answer.status === 200) return refuse(`${url.host} sends no header ${signatureHeader}, and no file with .sig`)
    throw Object.assign(new FetchError('network', `status ${answer.status}`), { status: answer.status })
  } catch (error) {
    throw error instanceof FetchError ? explain(error, url, 0) : error
  }
}

function refuse(why: string): never {
  throw new OperatorError(
    `The bundle is not signed: ${why}. Sign it with npx quire export --sign or npx quire sites set-signing-key, or leave --trusted-key out.`,
  )
}
