import { OperatorError } from '../base/operator-error.ts'
import { type Deployment, type Features, resolveFeatures } from '../products/features.ts'
import { listSources } from '../products/product-sources.ts'
import type { Feature } from '../tenancy/removal-rules.ts'

/** What the pages of a host may use. */
export interface HostSwitches {
  deployment: Deployment
  features: Features
  /** Origins that pages may load from for a feature, besides those of known products. */
  featureHosts: readonly FeatureHost[]
}

/** An origin for one feature, such as the API that a playground calls. */
export interface FeatureHost {
  feature: Feature
  origin: string
}

/**
 * Checks which features a deployment may have.
 *
 * @throws {OperatorError} with exit code 2 when the combination is forbidden.
 */
export function readSwitches(
  deployment: Deployment,
  asked: Partial<Features>,
  featureHosts: readonly FeatureHost[],
): HostSwitches {
  const features = resolveFeatures(deployment, asked)
  for (const { feature, origin } of featureHosts) {
    const given = `--feature-host ${feature}=${origin}`
    if (deployment === 'air-gapped')
      throw new OperatorError(
        `${given} cannot be used with the deployment air-gapped, because its pages load nothing from other hosts.`,
        2,
      )
    if (!features[feature])
      throw new OperatorError(
        `${given} needs the feature, which is off; add --features ${feature}, or leave it out.`,
        2,
      )
  }
  return { deployment, features, featureHosts }
}

/**
 * Returns the Content-Security-Policy of all pages. It allows the scripts of a site that runs at the root of a host, and
 * nothing from other hosts but what a feature that is on needs. A page of an export has a policy too; both apply.
 *
 * @param products names of the known products in the bundle.
 */
export function writePolicy({ deployment, features, featureHosts }: HostSwitches, products: readonly string[]): string {
  const isOpen = deployment !== 'air-gapped'
  const known = isOpen ? listSources(new Set(products), features) : []
  const given = (isPlayground: boolean) =>
    featureHosts.filter(({ feature }) => (feature === 'playground') === isPlayground).map(({ origin }) => origin)
  const hosts = [...known, ...given(false)]
  const list = (...sources: string[]) => [...new Set(sources)].join(' ')
  return [
    list('default-src', "'self'", 'data:', 'blob:', "'unsafe-inline'", "'unsafe-eval'", ...hosts),
    // A playground sends requests to an API, and loads no scripts from it.
    list('connect-src', "'self'", 'data:', 'blob:', ...hosts, ...given(true)),
    list('form-action', "'self'", ...hosts),
    "base-uri 'self'",
    "frame-ancestors 'self'",
  ].join('; ')
}

/** Returns the headers of all answers of a site but its policy: names and values, one after the other. */
export function writeSiteHeaders(deployment: Deployment): string[] {
  return [
    ...['X-Content-Type-Options', 'nosniff'],
    ...['Referrer-Policy', deployment === 'air-gapped' ? 'same-origin' : 'strict-origin-when-cross-origin'],
    // Chromium would look up the names of all links.
    ...['X-DNS-Prefetch-Control', 'off'],
  ]
}
