import { join } from 'node:path'
import { mergeValues, type Values } from '../support/merge-values.ts'

export type { Values }

export const deployment = join(import.meta.dirname, '../../server/deployment')
export const chart = join(deployment, 'chart')

/** Values that are complete, with others merged into them. */
export function withValues(given: Values = {}): Values {
  const needed = mergeValues(chart, {
    publicUrl: 'https://api.example.com',
    database: { existingSecret: 'quire-database' },
    bundles: { url: 's3://bucket/prefix?endpoint=https://s3.example.com:9000', existingSecret: 'quire-s3' },
    linkKey: { existingSecret: 'quire-link-key' },
  })
  return Object.fromEntries(
    Object.entries({ ...needed, ...given }).map(([name, value]) => [
      name,
      isMap(needed[name]) && isMap(value) ? { ...needed[name], ...value } : value,
    ]),
  )
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Values that the chart accepts, by what they are for. */
export const valueSets: Record<string, Values> = {
  usual: withValues(),
  'one of each': withValues({
    api: { replicas: 1, resources: {} },
    runner: { ...(withValues().runner as Values), replicas: 1, seccompProfile: { type: 'RuntimeDefault' } },
    settings: { QUIRE_VERIFY: 'static', QUIRE_EXPORT_RETENTION_DAYS: '90' },
  }),
  'an identity of the cloud': withValues({
    bundles: { url: 's3://bucket?region=eu-central-1', existingSecret: '', links: 'presigned' },
    serviceAccountName: 'quire',
  }),
  'an ingress with TLS': withValues({
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'api.example.com',
      tlsSecret: 'api-tls',
      annotations: { 'a/b': 'c' },
    },
    trustedProxies: ['10.0.0.0/8', '2001:db8::/32'],
  }),
  'metrics, and peers': withValues({
    metrics: {
      enabled: true,
      port: 9464,
      from: [],
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    },
    networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
  }),
  'no network policies': withValues({ networkPolicy: { enabled: false } }),
  openshift: withValues({ openshift: true }),
  'no migration': withValues({ migration: { enabled: false } }),
  'places and limits': withValues({
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'docs', operator: 'Exists' }],
    podAnnotations: { team: 'docs' },
    image: { repository: 'registry.example.com:5000/docs/quire-server', tag: '1.2.3', pullSecrets: [{ name: 'pull' }] },
    service: { type: 'LoadBalancer', port: 8080 },
  }),
}
