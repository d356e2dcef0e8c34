import { compareRest, follow, isSame, member, type Pair, type Part, report, show, type Walk } from './part.ts'
import { compareDeprecation, compareSchemas } from './schemas.ts'

/** The new names of the path parameters by the old ones. */
export type PathNames = ReadonlyMap<string, string>

/** Compares the parameters of two operations by place and name. Header names ignore case. */
export function compareParameters(walk: Walk, { before, after, place }: Pair, pathNames: PathNames): void {
  const from = byName(walk.before, before, name => pathNames.get(name) ?? name)
  const to = byName(walk.after, after, name => name)
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    const [old, parameter] = [from.get(key), to.get(key)]
    const at = `${place}: ${key}`
    if (!parameter) {
      if (!key.startsWith('path ')) report(walk, 'parameter-removed', at, 'Removed.')
    } else if (!old) {
      if (parameter.part.required === true) report(walk, 'parameter-added-required', at, 'Added, required.')
      else report(walk, 'parameter-added', at, 'Added, optional.')
    } else compareParameter(walk, { before: old.part, after: parameter.part, place: parameter.name ?? at })
  }
}

function compareParameter(walk: Walk, pair: Pair): void {
  const { before, after, place } = pair
  if (after.required === true && before.required !== true) {
    report(walk, 'parameter-required', place, 'It is now required.')
  }
  if (before.required === true && after.required !== true) {
    report(walk, 'parameter-optional', place, 'It is now optional.')
  }
  if (!isSame(encodingOf(before), encodingOf(after))) {
    report(walk, 'parameter-style-changed', place, `It is now encoded as ${show(encodingOf(after))}.`)
  }
  if (before.allowReserved === true && after.allowReserved !== true) {
    report(walk, 'parameter-style-changed', place, 'Reserved characters must now be encoded.')
  }
  const schemas = { before: member(before, 'schema'), after: member(after, 'schema'), place }
  compareSchemas(walk, schemas, 'request')
  compareDeprecation(walk, pair)
  compareRest(walk, pair, known)
}

const known = [
  ...['name', 'in', 'required', 'schema', 'content', 'deprecated'],
  ...['style', 'explode', 'allowReserved', 'allowEmptyValue'],
]

/** Fills in the defaults of OpenAPI. */
function encodingOf(parameter: Part): Part {
  const style = parameter.style ?? (parameter.in === 'query' || parameter.in === 'cookie' ? 'form' : 'simple')
  return {
    style,
    explode: parameter.explode ?? style === 'form',
    ...(parameter.content ? { content: parameter.content } : {}),
  }
}

type Named = { part: Part; name: string | undefined }

function byName(document: Part, operation: Part, rename: (pathName: string) => string): Map<string, Named> {
  const given = ((operation.parameters ?? []) as Part[]).map(parameter => follow(document, parameter))
  return new Map(
    given.map(named => {
      const { name, in: place } = named.part as { name: string; in: string }
      const written = place === 'header' ? name.toLowerCase() : place === 'path' ? rename(name) : name
      return [`${place} ${place === 'path' || place === 'query' ? 'parameter ' : ''}${written}`, named]
    }),
  )
}
