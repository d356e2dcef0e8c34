import { isSame, type Pair, type Part, report, type Walk } from './part.ts'

/** What a request needs: scopes by the name of the scheme. An empty one needs nothing. */
type Requirement = Record<string, string[]>

/** Compares what a request needs. It is tightened if one of the old ways no longer suffices. */
export function compareSecurity(walk: Walk, { before, after, place }: Pair): void {
  const [from, to] = [listRequirements(walk.before, before), listRequirements(walk.after, after)]
  if (isSame(from, to)) return
  const text = `Requests now need ${describe(to)}. They needed ${describe(from)}.`
  const isEnough = (old: Requirement) => to.some(requirement => needsNoMore(requirement, old))
  report(walk, from.every(isEnough) ? 'security-loosened' : 'security-tightened', place, text)
}

function listRequirements(document: Part, operation: Part): Requirement[] {
  const given = (operation.security ?? document.security ?? []) as Requirement[]
  return given.length === 0 ? [{}] : given
}

function needsNoMore(requirement: Requirement, old: Requirement): boolean {
  return Object.entries(requirement).every(
    ([scheme, scopes]) => scopes.every(scope => old[scheme]?.includes(scope)) && scheme in old,
  )
}

function describe(requirements: Requirement[]): string {
  const written = requirements.map(requirement => {
    const schemes = Object.entries(requirement).map(([name, scopes]) => `${name} [${scopes.join(', ')}]`)
    return schemes.length === 0 ? 'no key' : schemes.join(' and ')
  })
  return written.join(' or ')
}
