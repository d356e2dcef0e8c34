import { routes as added } from '../../../generated/extensions/operations.ts'
import { requests } from '../../../generated/extensions/requests.ts'
import { type AnyRoute, routes } from '../../../generated/operations.ts'
import type { InSteps, Steps } from '../../../server/base/steps.ts'
import type { GivenExtensions } from '../../../server/http/given-operations.ts'
import { createRouteTable } from '../../../server/http/routes.ts'
import type { Client } from '../../../server/operations/client.ts'
import type { ExtensionDeps, RecordedNouns } from '../../../server/operations/extensions/deps.ts'
import { extensionHandlers } from '../../../server/operations/extensions/index.ts'

/** The operations of the second document, for `createTargetHandler`. */
export const extensions: GivenExtensions<ExtensionDeps, Client> = {
  document: requests,
  routes: added,
  handlers: extensionHandlers,
}

/** All operations of the mock, of both documents. */
export const mocked = createRouteTable<AnyRoute>([...routes, ...added])

/** The methods of a noun, whose answers do not wait. */
type Changes<Noun> = {
  [Method in keyof Noun]: Noun[Method] extends (...given: infer Given) => Steps<infer Answer>
    ? (...given: Given) => Answer
    : never
}

/** What an operation changes. */
export type ChangedNouns = { [Noun in Exclude<keyof RecordedNouns, 'auditLog'>]: Changes<RecordedNouns[Noun]> }

/** Runs the steps of a transaction at once, so nothing else runs in between. The mock has no audit log. */
export function createTransactions(changed: ChangedNouns): ExtensionDeps['atomically'] {
  const nouns: RecordedNouns = {
    agentJobs: inSteps(changed.agentJobs),
    agentRuns: inSteps(changed.agentRuns),
    exportJobs: inSteps(changed.exportJobs),
    webhooks: inSteps(changed.webhooks),
    auditLog: inSteps({ append: () => undefined }),
  }
  return work => {
    const steps = work(nouns)
    let step = steps.next()
    while (!step.done) step = steps.next()
    return step.value
  }
}

function inSteps<Noun extends object>(noun: Noun): InSteps<Noun> {
  const methods = Object.entries(noun).map(([name, change]) => [
    name,
    function* (...given: unknown[]): Steps<unknown> {
      yield
      return change(...given)
    },
  ])
  return Object.fromEntries(methods)
}
