/** What a change means for clients of the released document. */
export type Level = 'breaking' | 'not breaking' | 'documentation'

/** `request`: what clients send. `response`: what they receive. */
export type Direction = 'request' | 'response'

interface Rule {
  level: Level
  /** What the change does to clients, or to servers that use the stub; undefined where the level says everything. */
  why?: string
}

/**
 * What a change does to the values that a schema allows. Clients send values, so a narrower request refuses what they send. They
 * receive answers, so a wider answer has what they do not expect.
 */
const schemaFacts = {
  'type-narrowed': 'narrower',
  'type-widened': 'wider',
  'type-changed': 'other',
  'null-refused': 'narrower',
  'null-allowed': 'wider',
  'enum-value-removed': 'narrower',
  'enum-value-added': 'wider',
  'enum-added': 'narrower',
  'enum-removed': 'wider',
  'limit-tightened': 'narrower',
  'limit-loosened': 'wider',
  'pattern-added': 'narrower',
  'pattern-removed': 'wider',
  'pattern-changed': 'other',
  'format-added': 'narrower',
  'format-removed': 'wider',
  'format-changed': 'other',
  'alternative-removed': 'narrower',
  'alternative-added': 'wider',
  'object-closed': 'narrower',
  'property-required': 'narrower',
  'property-optional': 'wider',
} as const

export type SchemaFact = keyof typeof schemaFacts

const refused = 'The server refuses what clients send today.'
const unexpected = 'Clients receive what they do not expect.'
const uncertain = 'No rule says which values are still allowed.'
const stubNeedsIt = 'Servers that use the stub do not compile until they have it.'

const breaking = (why: string): Rule => ({ level: 'breaking', why })
const compatible: Rule = { level: 'not breaking' }
/** Clients are not affected, and servers that use the stub are. */
const wanted: Rule = { level: 'not breaking', why: stubNeedsIt }
const documentation: Rule = { level: 'documentation' }

function judgeFact(direction: Direction, effect: (typeof schemaFacts)[SchemaFact]): Rule {
  if (effect === 'other') return breaking(uncertain)
  if (direction === 'request') return effect === 'narrower' ? breaking(refused) : compatible
  return effect === 'wider' ? breaking(unexpected) : compatible
}

type FactRules = Record<`${Direction}-${SchemaFact}`, Rule>

const factRules: FactRules = { ...judgeFacts(), 'response-property-required': wanted }

function judgeFacts(): FactRules {
  return Object.fromEntries(
    Object.entries(schemaFacts).flatMap(([fact, effect]) =>
      (['request', 'response'] as const).map(direction => [`${direction}-${fact}`, judgeFact(direction, effect)]),
    ),
  ) as FactRules
}

const ownRules = {
  'operation-removed': breaking('Requests to it are answered with 404 or 405.'),
  'operation-added': wanted,
  'operation-id-changed': breaking('The method of generated clients has another name.'),
  'webhook-removed': breaking('Receivers wait for events that do not come.'),
  'webhook-added': compatible,
  deprecated: compatible,
  'no-longer-deprecated': compatible,
  'path-parameter-renamed': breaking('The parameter of generated clients has another name.'),
  'server-path-changed': breaking('Requests are sent to another path.'),
  'server-changed': documentation,
  'format-of-document-changed': breaking('Tools of clients may not read it.'),

  'parameter-removed': breaking('The server refuses parameters that it does not know.'),
  'parameter-added-required': breaking(refused),
  'parameter-added': compatible,
  'parameter-required': breaking(refused),
  'parameter-optional': compatible,
  'parameter-style-changed': breaking('Clients encode the value in another way.'),

  'request-body-removed': breaking(refused),
  'request-body-added-required': breaking(refused),
  'request-body-added': compatible,
  'request-body-required': breaking(refused),
  'request-body-optional': compatible,
  'request-media-type-removed': breaking(refused),
  'request-media-type-added': compatible,
  'request-property-removed': breaking('The server refuses fields that it does not know.'),
  'request-property-added-required': breaking(refused),
  'request-property-added': compatible,
  'request-object-opened': compatible,
  'request-default-changed': breaking('A request without the field means something else.'),

  'success-status-removed': breaking('Clients wait for an answer that does not come.'),
  'success-status-added': breaking(unexpected),
  'error-status-removed': compatible,
  'error-status-added': compatible,
  'redirect-added': breaking('Clients that do not follow redirects get no answer.'),
  'not-modified-added': compatible,
  'response-media-type-removed': breaking('Clients that accept only it get none.'),
  'response-media-type-added': compatible,
  'response-header-removed': breaking('Clients that read it find nothing.'),
  'response-header-added': compatible,
  'response-header-optional': breaking('Clients that read it may find nothing.'),
  'response-header-required': compatible,
  'response-property-removed': breaking('Clients that read it find nothing.'),
  // Clients ignore fields that they do not know.
  'response-property-added': compatible,
  'response-property-added-required': wanted,
  'response-object-opened': compatible,
  'response-default-changed': documentation,
  'link-changed': documentation,

  'security-tightened': breaking('Keys of clients are refused.'),
  'security-loosened': compatible,
  'plan-required': breaking('Organizations on another plan are refused.'),
  'plan-no-longer-required': compatible,
  'rate-limit-tightened': breaking('Clients are refused earlier.'),
  'rate-limit-loosened': compatible,

  'text-changed': documentation,
  'example-changed': documentation,
  'extension-changed': documentation,
  'other-changed': breaking('No rule covers this part of the document.'),
} satisfies Record<string, Rule>

/**
 * The rules by the id of the change. A change that no rule covers is breaking, so that none passes unseen.
 *
 * A response with fewer error statuses or enum values is not breaking, because every answer is one that clients know. Code that
 * compares with a removed value must be changed when it is compiled with the new types.
 */
export const rules: Readonly<Record<ChangeId, Rule>> = { ...factRules, ...ownRules }

export type ChangeId = keyof FactRules | keyof typeof ownRules
