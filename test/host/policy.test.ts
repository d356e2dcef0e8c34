import { describe, expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { readSwitches, writePolicy } from '../../server/host/policy.ts'
import type { Deployment, Features } from '../../server/products/features.ts'

/** The directives of the policy, by name. */
function parse(policy: string): Record<string, string[]> {
  return Object.fromEntries(
    policy
      .split('; ')
      .map(part => part.split(' '))
      .map(([name = '', ...rest]) => [name, rest]),
  )
}

const hostsOf = (sources: string[] = []) => sources.filter(source => source.includes('.'))
const products = ['Google Analytics', 'Algolia DocSearch', 'Kapa', 'StackBlitz', 'unknown']

/** CONTRACT.md, "Feature availability by deployment". */
const matrix: Record<keyof Features, Record<Deployment, 'yes' | 'configurable' | 'no'>> = {
  search: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  assistant: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  analytics: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  playground: { cloud: 'yes', 'client-hosted': 'yes', 'air-gapped': 'configurable' },
}
const cells = Object.entries(matrix).flatMap(([feature, row]) =>
  Object.entries(row).map(([deployment, cell]) => [feature as keyof Features, deployment as Deployment, cell] as const),
)

test.each(cells)('%s in the deployment %s: %s', (feature, deployment, cell) => {
  const on = () => readSwitches(deployment, { [feature]: true }, []).features[feature]
  const off = () => readSwitches(deployment, { [feature]: false }, []).features[feature]
  const unset = readSwitches(deployment, {}, []).features[feature]
  expect(unset).toBe(cell === 'yes')
  if (cell === 'no') expect(on).toThrow(`features.${feature} cannot be true for the deployment ${deployment}`)
  else expect(on()).toBe(true)
  if (cell === 'yes') expect(off).toThrow(`features.${feature} is always true for the deployment ${deployment}`)
  else expect(off()).toBe(false)
})

describe('the policy', () => {
  test('air-gapped: no other host at all, whatever the bundle has', () => {
    for (const features of [{}, { playground: true }]) {
      const policy = writePolicy(readSwitches('air-gapped', features, []), products)
      expect(policy).not.toMatch(/\.|https?:|wss?:|\*/)
      expect(parse(policy)).toEqual({
        'default-src': ["'self'", 'data:', 'blob:', "'unsafe-inline'", "'unsafe-eval'"],
        'connect-src': ["'self'", 'data:', 'blob:'],
        'form-action': ["'self'"],
        'base-uri': ["'self'"],
        'frame-ancestors': ["'self'"],
      })
    }
  })

  test('client-hosted: only hosts of products that the bundle has and whose feature is on', () => {
    const policy = parse(writePolicy(readSwitches('client-hosted', { analytics: true }, []), products))
    expect(hostsOf(policy['default-src'])).toContain('https://*.google-analytics.com')
    expect(hostsOf(policy['connect-src']).join(' ')).not.toMatch(/algolia|kapa/)
    const none = parse(writePolicy(readSwitches('client-hosted', { analytics: true }, []), []))
    expect(hostsOf(Object.values(none).flat())).toEqual([])
  })

  test('a feature that is off has no host', () => {
    const policy = writePolicy(readSwitches('client-hosted', {}, []), ['Google Analytics', 'Algolia DocSearch'])
    expect(hostsOf(Object.values(parse(policy)).flat())).toEqual([])
  })

  test('a playground may send requests to the named hosts, and loads nothing from them', () => {
    const hosts = [
      { feature: 'playground', origin: 'https://api.example.com' },
      { feature: 'search', origin: 'https://search.example.com' },
    ] as const
    const policy = parse(writePolicy(readSwitches('client-hosted', { search: true }, hosts), []))
    expect(hostsOf(policy['default-src'])).toEqual(['https://search.example.com'])
    expect(hostsOf(policy['connect-src'])).toEqual(['https://search.example.com', 'https://api.example.com'])
  })
})

test.each<[Deployment, Partial<Features>, keyof Features, RegExp]>([
  [
    'air-gapped',
    { playground: true },
    'playground',
    /^--feature-host playground=\S+ cannot be used with the deployment air-gapped, .*\.$/,
  ],
  ['client-hosted', {}, 'search', /^--feature-host search=\S+ needs the feature, which is off; .*\.$/],
])('%s with %j and a host for %s is refused in one sentence', (deployment, features, feature, message) => {
  const refuse = () => readSwitches(deployment, features, [{ feature, origin: 'https://api.example.com' }])
  expect(refuse).toThrow(message)
  expect(refuse).toThrow(OperatorError)
})
