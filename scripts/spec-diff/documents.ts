import { type Change, Changes } from './change.ts'
import { compareOperations } from './operations.ts'
import { compareRest, isSame, member, namesOf, type Part, report, show, type Walk } from './part.ts'
import { compareContent } from './responses.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Compares two bundled OpenAPI documents, `before` being the released one. References must be internal. */
export function compareDocuments(before: Part, after: Part): Change[] {
  const changes = new Changes()
  const walk: Walk = { before, after, changes }
  comparePaths(walk)
  compareWebhooks(walk)
  compareServers(walk)
  compareFormat(walk)
  compareInfo(walk)
  compareSecuritySchemes(walk)
  compareRest(walk, { before, after, place: 'document' }, known)
  return changes.list()
}

// The changes of these are reported where they have an effect.
const known = [
  ...['openapi', 'paths', 'webhooks', 'components', 'servers', 'info', 'security', 'tags'],
  ...['x-generated', 'x-rate-limits'],
]

function comparePaths(walk: Walk): void {
  const from = byShape(member(walk.before, 'paths'))
  const to = byShape(member(walk.after, 'paths'))
  for (const shape of new Set([...from.keys(), ...to.keys()])) {
    const [old, current] = [from.get(shape), to.get(shape)]
    const path = current?.path ?? old?.path ?? ''
    const [oldItem, item] = [old?.item ?? {}, current?.item ?? {}]
    for (const method of methods) {
      const place = `${method.toUpperCase()} ${path}`
      const [oldOperation, operation] = [oldItem[method], item[method]] as (Part | undefined)[]
      if (oldOperation && !operation) {
        const inner = { ...walk, operation: String(oldOperation.operationId) }
        report(inner, 'operation-removed', `${method.toUpperCase()} ${old?.path}`, 'Removed.')
      } else if (!oldOperation && operation) {
        report({ ...walk, operation: String(operation.operationId) }, 'operation-added', place, 'Added.')
      } else if (oldOperation && operation) {
        const shared = { before: withShared(oldItem, oldOperation), after: withShared(item, operation), place }
        compareOperations(walk, { ...shared, paths: { before: old?.path ?? '', after: path } })
      }
    }
    if (old && current) compareRest(walk, { before: oldItem, after: item, place: path }, [...methods, 'parameters'])
  }
}

/** The body of an event is compared as that of an answer, because it is received. */
function compareWebhooks(walk: Walk): void {
  const [from, to] = [member(walk.before, 'webhooks'), member(walk.after, 'webhooks')]
  for (const name of namesOf(from, to)) {
    const place = `webhook ${name}`
    if (!(name in to)) report(walk, 'webhook-removed', place, 'Removed.')
    else if (!(name in from)) report(walk, 'webhook-added', place, 'Added.')
    else {
      const [before, after] = [member(from[name] as Part, 'post'), member(to[name] as Part, 'post')]
      const content = (event: Part) => member(member(event, 'requestBody'), 'content')
      compareContent(walk, { before: content(before), after: content(after), place }, 'response')
      compareRest(walk, { before, after, place }, ['requestBody'])
    }
  }
}

/** Lists paths by their shape, because the name of a path parameter is not part of an address. */
function byShape(paths: Part): Map<string, { path: string; item: Part }> {
  const entries = Object.entries(paths) as [string, Part][]
  return new Map(entries.map(([path, item]) => [path.replaceAll(/\{[^}]*\}/g, '{}'), { path, item }]))
}

/** Adds the parameters that all operations of a path share. */
function withShared(item: Part, operation: Part): Part {
  const shared = (item.parameters ?? []) as Part[]
  return { ...operation, parameters: [...shared, ...((operation.parameters ?? []) as Part[])] }
}

/** The host is the reader's own. The path before the paths of the operations is part of every address. */
function compareServers(walk: Walk): void {
  const [from, to] = [listServers(walk.before), listServers(walk.after)]
  const paths = (servers: { url: string }[]) => servers.map(({ url }) => url.replace(/^[a-z]+:\/\/[^/]*/i, ''))
  const kept = paths(to).map(trimSlash)
  for (const path of new Set(paths(from).map(trimSlash))) {
    if (kept.includes(path)) continue
    report(walk, 'server-path-changed', 'servers', `No server has the path ${show(path || '/')} any more.`)
  }
  if (!isSame(from, to)) report(walk, 'server-changed', 'servers', 'The servers changed.')
}

function trimSlash(path: string): string {
  return path.replace(/\/$/, '')
}

function listServers({ servers }: Part): { url: string }[] {
  return (servers ?? [{ url: '/' }]) as { url: string }[]
}

/** Releases of OpenAPI with the same first two numbers differ in their texts only. */
function compareFormat({ before, after, changes }: Walk): void {
  const [from, to] = [before, after].map(({ openapi }) => String(openapi))
  if (from === to) return
  const isSameFormat = from?.split('.').slice(0, 2).join() === to?.split('.').slice(0, 2).join()
  const text = `The version of OpenAPI is now ${to}. It was ${from}.`
  changes.add(isSameFormat ? 'text-changed' : 'format-of-document-changed', { place: 'openapi', text })
}

function compareInfo(walk: Walk): void {
  const pair = { before: member(walk.before, 'info'), after: member(walk.after, 'info'), place: 'info' }
  compareRest(walk, pair, ['version'])
  if (!isSame(walk.before.tags, walk.after.tags)) report(walk, 'text-changed', 'tags', 'The tags changed.')
}

function compareSecuritySchemes(walk: Walk): void {
  const from = member(member(walk.before, 'components'), 'securitySchemes')
  const to = member(member(walk.after, 'components'), 'securitySchemes')
  for (const name of namesOf(from, to)) {
    if (!(name in from) || !(name in to)) continue
    const pair = { before: from[name] as Part, after: to[name] as Part, place: `security scheme ${name}` }
    for (const field of schemeFields) {
      if (isSame(pair.before[field], pair.after[field])) continue
      const text = `${field} is now ${show(pair.after[field] ?? null)}. It was ${show(pair.before[field] ?? null)}.`
      report(walk, 'security-tightened', pair.place, text)
    }
    compareRest(walk, pair, schemeFields)
  }
}

const schemeFields = ['type', 'scheme', 'in', 'name', 'flows', 'openIdConnectUrl']
