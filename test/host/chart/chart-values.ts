import { join } from 'node:path'
import { mergeValues, type Values } from '../../support/merge-values.ts'

export type { Values }

export const chart = join(import.meta.dirname, '../../../server/host/chart')

/** The values of values.yaml, with others merged into them. */
export const withValues = (given: Values): Values => mergeValues(chart, given)

export const link = 'https://api.example.com/bundles/se_0123456789abcdef/docs.zip?expires=1795000000&signature=ab-_~cd'

/** Values with a link. */
export function enabled(given: Values = {}): Values {
  const staticExport = { enabled: true, bundleUrl: link, ...(given.staticExport as Values | undefined) }
  return withValues({ ...given, staticExport })
}

/** Values that the chart accepts, by what they are for. */
export const valueSets: Record<string, Values> = {
  defaults: withValues({}),
  'a link': enabled(),
  'a pinned version': enabled({ staticExport: { version: 'release 2.4, "final"' } }),
  'one pod without persistence': enabled({ replicas: 1, persistence: { enabled: false } }),
  'client-hosted with features': enabled({
    deployment: 'client-hosted',
    features: { search: true, analytics: false },
    featureHosts: [{ feature: 'playground', origin: 'https://api.example.com' }],
  }),
  cloud: enabled({ deployment: 'cloud' }),
  'air-gapped with a playground': enabled({ features: { playground: true } }),
  'an ingress with TLS': enabled({
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'docs.example.com',
      tlsSecret: 'docs-tls',
      annotations: { 'a/b': 'c' },
    },
  }),
  'an ingress without TLS': enabled({ ingress: { enabled: true, host: 'docs.example.com' } }),
  'a bundle in the cluster': enabled({
    staticExport: { bundleUrl: 'http://quire.docs.svc:8787/bundles/a.zip?x=1' },
    networkPolicy: {
      bundlePeers: [{ podSelector: { matchLabels: { app: 'quire' } } }],
      from: [{ namespaceSelector: {} }],
    },
  }),
  'a link in a Secret': enabled({
    staticExport: { bundleUrl: '', existingSecret: 'docs-link', key: 'url', sha256: 'a'.repeat(64) },
    networkPolicy: { bundlePort: 9000 },
  }),
  metrics: enabled({
    metrics: { enabled: true, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  }),
  'no network policy': enabled({ networkPolicy: { enabled: false } }),
  openshift: enabled({ openshift: true }),
  'cors and proxies': enabled({
    cors: { origins: ['https://app.example.com', 'https://b.example.com:8443'] },
    trustedProxies: ['10.0.0.0/8', '2001:db8::/32'],
  }),
  'places and limits': enabled({
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'docs', operator: 'Exists' }],
    affinity: { podAntiAffinity: {} },
    podAnnotations: { team: 'docs' },
    resources: { requests: { cpu: '1' }, limits: { memory: '512Mi' } },
    image: { repository: 'registry.example.com:5000/docs/quire', tag: '1.2.3', pullSecrets: [{ name: 'pull' }] },
    persistence: { size: '20Gi', storageClass: 'fast' },
    service: { type: 'LoadBalancer', port: 8080 },
  }),
}
