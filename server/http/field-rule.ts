import { pagePathRule } from '../export/jobs/page-paths.ts'

/** The parts of a schema that a rule is made from. */
export interface RuledSchema {
  type?: string
  enum?: readonly unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  /** What the pattern accepts, in words that follow "must be". */
  'x-rule'?: string
}

/** What the patterns of the document accept. A test checks that each field with a pattern is listed. */
const patternRules: Readonly<Record<string, string>> = {
  '/body/domain': 'a bare host name, without scheme, port and path',
  '/body/version':
    'a label that begins with a letter or digit and has only letters, digits, ".", "_", "-" and inner spaces',
  '/body/paths/*': pagePathRule,
  '/query/dateFrom': 'a date (YYYY-MM-DD), or a date and time (YYYY-MM-DDThh:mm:ss) that may end with Z or an offset',
  '/query/dateTo': 'a date (YYYY-MM-DD), or a date and time (YYYY-MM-DDThh:mm:ss) that may end with Z or an offset',
  '/headers/idempotency-key': 'text of visible ASCII characters, without spaces',
}

/** Writes what a field must be, in words that follow "must be"; undefined for a schema that accepts everything. */
export function describeRule(path: string, schema: RuledSchema): string | undefined {
  if (schema.enum) return listChoices(schema.enum.map(String))
  switch (schema.type) {
    case 'integer':
      return `a whole number${describeRange(schema)}`
    case 'boolean':
      return 'true or false'
    case 'array':
      return `a list of ${describeCount(schema)}different values`
    case 'object':
      return 'a JSON object'
    case 'string':
      return `${schema['x-rule'] ?? patternRules[path] ?? 'text'}${describeLength(schema)}`
    default:
      return undefined
  }
}

function describeCount({ minItems, maxItems }: RuledSchema): string {
  if (maxItems === undefined) return ''
  return minItems === undefined ? `up to ${maxItems} ` : `${minItems} to ${maxItems} `
}

function describeRange({ minimum, maximum }: RuledSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function describeLength({ minLength = 0, maxLength }: RuledSchema): string {
  if (maxLength !== undefined) return ` (${minLength} to ${maxLength} characters)`
  return minLength > 0 ? ` (at least ${minLength} ${minLength === 1 ? 'character' : 'characters'})` : ''
}

function listChoices(choices: readonly string[]): string {
  return choices.length < 2 ? choices.join('') : `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
