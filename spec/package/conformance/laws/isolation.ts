import { readRefusal } from '../exchange.ts'
import type { Operation } from '../operations.ts'
import { type Exchange, LawSkipped, type Session } from '../session.ts'
import { baseRequest } from './base-requests.ts'
import type { Law } from './law.ts'

/** What belongs to another organization answers exactly like what does not exist. */
export const isolationLaw: Law = {
  checks: ['resource_isolation'],
  async run(session) {
    const { settings, operations, known } = session
    if (settings.otherKey === undefined) throw new LawSkipped('Set --other-key to a key of another organization.')
    const { getUniqueVisitors, getAgentJob, getStaticExportJob, generateStaticExportBundle } = operations
    let compared = 0
    if (known.project) compared += await compare(session, getUniqueVisitors, 'projectId', settings.project)
    if (known.agentJob) compared += await compare(session, getAgentJob, 'projectId', settings.project)
    if (known.exportJob !== undefined) {
      compared += await compare(session, getStaticExportJob, 'jobId', known.exportJob)
      compared += await compare(session, generateStaticExportBundle, 'jobId', known.exportJob)
    }
    for (const operation of session.extensions) {
      const [name] = operation.parameters.flatMap(parameter => (parameter.in === 'path' ? [parameter.name] : []))
      const id = name && (name === 'projectId' ? known.project && settings.project : known.created[name])
      if (name && id) compared += await compare(session, operation, name, id)
    }
    if (compared === 0)
      throw new LawSkipped('The server has none of the ids. Set --project, --agent-job or --export-job.')
  },
}

async function compare(session: Session, operation: Operation, name: string, id: string): Promise<number> {
  const authorization = `Bearer ${session.settings.otherKey}`
  const base = baseRequest(session, operation)
  const ask = (value: string) =>
    session.ask(operation, { ...base, authorization, path: { ...base.path, [name]: encodeURIComponent(value) } })
  const foreign = await ask(id)
  // An id of the same form that nobody has.
  const unknown = await ask(changeDigits(id))
  const isSame = describe(foreign) === describe(unknown)
  const fault = () =>
    `With a key of another organization, the answer is ${foreign.answer.status} and differs from that to an unknown id.`
  session.check('resource_isolation', isSame, fault, foreign)
  const { status } = foreign.answer
  const isOpen = status < 400
  session.check('resource_isolation', !isOpen, () => `A key of another organization gets ${status}.`, foreign)
  return 1
}

function describe({ answer }: Exchange): string {
  return `${answer.status} ${readRefusal(answer)}`
}

function changeDigits(id: string): string {
  const changed = id.replaceAll(/[0-9]/g, digit => String((Number(digit) + 5) % 10))
  return changed === id ? `${id}x` : changed
}
