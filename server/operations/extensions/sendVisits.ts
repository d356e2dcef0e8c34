import type { components } from '../../../generated/extensions/openapi.ts'
import type { Input, Output } from '../../../generated/extensions/operations.ts'
import { type Delivery, DeliveryRefusedError, type ReceivedVisits } from '../../analytics/import/receive-visits.ts'
import type { Client } from '../client.ts'
import { unknownProject } from '../unknown.ts'
import type { ExtensionDeps } from './deps.ts'
import { findProject } from './find-project.ts'

export async function sendVisits(
  input: Input<'sendVisits'>,
  deps: Pick<ExtensionDeps, 'projects' | 'visitsReceiver' | 'maxVisitsBytes'>,
  client: Client,
): Promise<Output<'sendVisits'>> {
  const project = await findProject(deps, client, input.params.projectId)
  if (!project) return { status: 404, body: unknownProject }
  return { status: 200, body: await receive(deps, { projectId: project.id }, input) }
}

/** Passes the lines on as they arrive. Refusals of the receiver are errors, because they end the request. */
export async function receive(
  { visitsReceiver, maxVisitsBytes }: Pick<ExtensionDeps, 'visitsReceiver' | 'maxVisitsBytes'>,
  target: Delivery['target'],
  { body, headers, query }: Pick<Input<'sendVisits'>, 'body' | 'headers' | 'query'>,
): Promise<components['schemas']['ReceivedVisits']> {
  const encoding = (headers as Readonly<Record<string, string | undefined>>)['content-encoding']?.toLowerCase()
  const delivery = { target, encoding, settings: query }
  return toBody(await visitsReceiver.receive(delivery, limit(body, maxVisitsBytes)))
}

async function* limit(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) {
      const message = `The body is larger than ${maxBytes} bytes. Send fewer lines in one request.`
      throw new DeliveryRefusedError('too-large', message)
    }
    yield chunk
  }
}

/** Without the examples of unreadable lines, which may have addresses of visitors. */
function toBody({ unreadable, ...counts }: ReceivedVisits): components['schemas']['ReceivedVisits'] {
  const { lines, counted, known, tooOld, filtered } = counts
  const reasons = unreadable.map(({ reason, count }) => ({ reason, count }))
  return { lines, counted, known, tooOld, filtered, unreadable: reasons }
}
