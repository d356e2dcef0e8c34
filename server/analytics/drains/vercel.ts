import { createHmac } from 'node:crypto'
import {
  type DrainReading,
  DrainRefusedError,
  type DrainRequest,
  type DrainSecrets,
  isSame,
  readHeader,
} from './drain.ts'

/**
 * Reads a log drain of Vercel, JSON or NDJSON. `x-vercel-signature` is the HMAC-SHA1 of the body in hexadecimal digits. Before Vercel
 * accepts a receiver, each answer must have the code that it shows in `x-vercel-verify`.
 * https://vercel.com/docs/drains/security
 */
export async function readVercelDrain(request: DrainRequest, secrets: DrainSecrets): Promise<DrainReading> {
  const { vercelSecret: secret, vercelCode: code } = secrets
  const headers: Record<string, string> = code === undefined ? {} : { 'x-vercel-verify': code }
  const signature = readHeader(request, 'x-vercel-signature')
  if (signature === undefined && (request.method !== 'POST' || (await isEmpty(request.body)))) {
    return { kind: 'answer', status: 200, headers, body: '' }
  }
  if (secret === undefined || secret === '')
    return refuse(headers, 'No secret of Vercel is configured for this receiver.')
  if (signature === undefined) return refuse(headers, 'The header x-vercel-signature is missing.')
  return {
    kind: 'batch',
    encoding: readHeader(request, 'content-encoding'),
    settings: { format: 'vercel', envelope: 'none' },
    body: checkSignature(request.body, signature, secret),
    headers,
  }
}

function refuse(headers: Record<string, string>, error: string): DrainReading {
  return { kind: 'refused', status: 403, headers, error }
}

async function isEmpty(body: AsyncIterable<Uint8Array>): Promise<boolean> {
  for await (const chunk of body) if (chunk.length > 0) return false
  return true
}

/** Hashes chunk by chunk, so that a large body does not keep other requests waiting. */
async function* checkSignature(
  body: AsyncIterable<Uint8Array>,
  signature: string,
  secret: string,
): AsyncGenerator<Uint8Array> {
  const hmac = createHmac('sha1', secret)
  for await (const chunk of body) {
    hmac.update(chunk)
    yield chunk
  }
  if (isSame(signature.toLowerCase(), hmac.digest('hex'))) return
  throw new DrainRefusedError('The signature in x-vercel-signature does not match the body and the configured secret.')
}
