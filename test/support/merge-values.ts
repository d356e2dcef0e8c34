import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export type Values = { [name: string]: unknown }

/** The values of a chart, with others merged into them as Helm does: maps are merged, everything else is replaced. */
export function mergeValues(chart: string, given: Values): Values {
  return merge(parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Values, given)
}

function merge(base: Values, over: Values): Values {
  const merged = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const before = base[name]
    merged[name] = isMap(before) && isMap(value) ? merge(before, value) : value
  }
  return merged
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
