import type { components } from '../../../generated/extensions/openapi.ts'
import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { type Delivery, DeliveryRefusedError, type ReceivedVisits } from '../../analytics/import/delivery.ts'
import { receivedLines } from '../../base/measures.ts'
import type { Client } from '../client.ts'
import { unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

export async function sendVisits(
  input: Input<'sendVisits'>,
  deps: Pick<ExtensionDeps, 'projects'> & ReceiveDeps,
  client: Client,
): Promise<Output<'sendVisits'>> {
  const project = await findProject(deps, client, input.params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  return receive(deps, client, { projectId: project.id }, input)
}

export type ReceiveDeps = Pick<ExtensionDeps, 'visitsReceiver' | 'visitBytes' | 'maxVisitsBytes' | 'checkVercel'>

/** Passes the lines on as they arrive. Refusals of the receiver are errors, because they end the request. */
export async function receive(
  { visitsReceiver, visitBytes, maxVisitsBytes, checkVercel }: ReceiveDeps,
  { organizationId }: Pick<Client, 'organizationId'>,
  target: Delivery['target'],
  { body, headers, query: { key: _, ...settings } }: Pick<Input<'sendVisits'>, 'body' | 'headers' | 'query'>,
): Promise<Extract<Output<'sendVisits'>, { status: 200 | 429 }>> {
  const waitSeconds = await visitBytes.findWaitSeconds(organizationId)
  if (waitSeconds > 0) return toRefusal(visitBytes.hourMb, waitSeconds)
  const given = headers as Readonly<Record<string, string | undefined>>
  const signature = given['x-vercel-signature']
  const delivery = { target, encoding: given['content-encoding']?.toLowerCase(), settings }
  const lines = limit(body, maxVisitsBytes, bytes => visitBytes.add(organizationId, bytes))
  const isSigned = signature !== undefined || settings.format === 'vercel'
  const checked = checkVercel && isSigned ? checkVercel(lines, signature) : lines
  const received = toBody(await visitsReceiver.receive(delivery, checked))
  receivedLines.tell(received)
  return { status: 200, body: received }
}

function toRefusal(hourMb: number, seconds: number): Extract<Output<'sendVisits'>, { status: 429 }> {
  const error = `The organization has sent its ${hourMb} MB of log lines of the last hour. Send the batch again after ${seconds} seconds.`
  return { status: 429, headers: { 'Retry-After': String(seconds) }, body: { error, code: 'rate_limited' } }
}

async function* limit(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.length
    count(chunk.length)
    if (sizeBytes > maxBytes) {
      const message = `The body is larger than ${maxBytes} bytes. Send fewer lines in one request.`
      throw new DeliveryRefusedError('too-large', message)
    }
    yield chunk
  }
}

const noLineRead =
  'No line could be read. Name the format of the lines with ?format=NAME, or leave it out to have it detected. Your own JSON needs ?format=json&jsonFields=..., see Log formats in the documentation.'

/** Without the examples of unreadable lines, which may have addresses of visitors. */
function toBody({ unreadable, ...counts }: ReceivedVisits): components['schemas']['ReceivedVisits'] {
  const { lines, counted, known, tooOld, filtered } = counts
  const reasons = unreadable.map(({ reason, count }) => ({ reason, count }))
  const isUnread = lines > 0 && reasons.reduce((total, { count }) => total + count, 0) === lines
  return { lines, counted, known, tooOld, filtered, unreadable: reasons, ...(isUnread && { hint: noLineRead }) }
}
