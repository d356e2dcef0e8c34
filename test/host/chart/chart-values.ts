import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const chart = join(import.meta.dirname, '../../../server/host/chart')

export type Values = { [name: string]: unknown }

/** The values of values.yaml, with others merged into them as Helm does: maps are merged, everything else is replaced. */
export function withValues(given: Values): Values {
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
