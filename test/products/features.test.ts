import { expect, test } from 'vitest'
import { OperatorError } from '../../server/base/operator-error.ts'
import { type Deployment, resolveFeatures } from '../../server/products/features.ts'
import type { Feature } from '../../server/tenancy/removal-rules.ts'

// Repeats the matrix of the contract on purpose.
const matrix: [Feature, Record<Deployment, 'yes' | 'configurable' | 'no'>][] = [
  ['search', { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' }],
  ['assistant', { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' }],
  ['analytics', { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' }],
  ['playground', { cloud: 'yes', 'client-hosted': 'yes', 'air-gapped': 'configurable' }],
]
const cases = matrix.flatMap(([feature, row]) =>
  (Object.keys(row) as Deployment[]).flatMap(deployment =>
    [undefined, true, false].map(asked => ({ feature, deployment, asked, available: row[deployment] })),
  ),
)

test.each(cases)(
  '$feature in $deployment ($available), requested: $asked',
  ({ feature, deployment, asked, available }) => {
    const resolve = () => resolveFeatures(deployment, asked === undefined ? {} : { [feature]: asked })[feature]
    const forbidden = (available === 'no' && asked === true) || (available === 'yes' && asked === false)
    if (forbidden) expect(resolve).toThrow(OperatorError)
    else expect(resolve()).toBe(available === 'yes' || (available === 'configurable' && asked === true))
  },
)
