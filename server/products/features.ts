import { OperatorError } from '../base/operator-error.ts'
import type { Feature } from '../tenancy/removal-rules.ts'

export type Deployment = 'cloud' | 'client-hosted' | 'air-gapped'
export type Features = Record<Feature, boolean>

/**
 * Availability of each feature by deployment (the table in spec/schemas/ExportFeatures.yaml). Configurable features are off
 * by default.
 */
export const availability: Record<Feature, Record<Deployment, 'yes' | 'configurable' | 'no'>> = {
  search: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  assistant: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  analytics: { cloud: 'yes', 'client-hosted': 'configurable', 'air-gapped': 'no' },
  playground: { cloud: 'yes', 'client-hosted': 'yes', 'air-gapped': 'configurable' },
}

/**
 * Returns the features of an export: those that the deployment always has, plus the requested features that are
 * configurable.
 *
 * @throws {OperatorError} when the request turns on a feature that the deployment cannot have, or turns off one that it
 * always has.
 */
export function resolveFeatures(deployment: Deployment, asked: Partial<Features>): Features {
  const resolve = (feature: Feature): boolean => {
    const available = availability[feature][deployment]
    const wanted = asked[feature]
    if (available === 'no' && wanted) {
      throw new OperatorError(
        `features.${feature} cannot be true for the deployment ${deployment}, because the feature needs a cloud service. Leave it out, or set it to false.`,
        2,
      )
    }
    if (available === 'yes' && wanted === false) {
      throw new OperatorError(
        `features.${feature} is always true for the deployment ${deployment}. Leave it out, or set it to true.`,
        2,
      )
    }
    return available === 'yes' || (available === 'configurable' && wanted === true)
  }
  return {
    search: resolve('search'),
    assistant: resolve('assistant'),
    analytics: resolve('analytics'),
    playground: resolve('playground'),
  }
}
