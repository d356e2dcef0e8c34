import type { Input, Output } from '../../../generated/extensions/operations.ts'
import type { Client } from '../client.ts'
import { type ReceiveDeps, receive } from './sendVisits.ts'

export async function sendVisitsByHost(
  input: Input<'sendVisitsByHost'>,
  deps: ReceiveDeps,
  client: Client,
): Promise<Output<'sendVisitsByHost'>> {
  const { organizationId, projectIds } = client
  if (projectIds !== null) return { status: 403, body: keyBound }
  return receive(deps, client, { organizationId }, input)
}

const keyBound = {
  error: 'This API key is bound to projects. Send the lines of each project on their own.',
  code: 'missing_scope',
}
