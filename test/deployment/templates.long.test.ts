import { beforeAll, expect, test } from 'vitest'
import { serveSettings } from '../../server/flags/serve-settings.ts'
import { canRender, chartPackages, type Resource, renderChart } from '../support/render-chart.ts'
import { chart, valueSets, withValues } from './chart-values.ts'

let rendered = new Map<string, Resource[]>()
beforeAll(() => {
  rendered = renderChart(chart, valueSets)
})

const names = Object.keys(valueSets)
const all = (name: string): Resource[] => rendered.get(name) ?? []
const find = (name: string, kind: string, part: string): Resource =>
  all(name).find(each => each.kind === kind && each.metadata.name === `docs-quire-${part}`)
const podOf = (resource: Resource): Resource => resource.spec.template.spec
const pods = (name: string): Resource[] => all(name).filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
const envOf = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(
    podOf(resource).containers[0].env.map((each: Resource) => [each.name, each.value ?? each.valueFrom]),
  )

if (!canRender) console.log(`The chart is not rendered: apt-get install ${chartPackages.join(' ')}`)
const renderTest = test.skipIf(!canRender)

renderTest.each(names)('%s: selectors find the pods of their role, and no others', name => {
  const labels = Object.fromEntries(
    pods(name).map(({ metadata, spec }) => [metadata.name, spec.template.metadata.labels]),
  )
  for (const { kind, metadata, spec } of all(name)) {
    expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': 'docs' })
    const selector = kind === 'Service' ? spec.selector : spec.selector?.matchLabels
    if (!selector) continue
    const matching = Object.entries(labels).filter(([, given]) =>
      Object.entries(selector).every(([label, value]) => (given as Record<string, unknown>)[label] === value),
    )
    if (kind !== 'ServiceMonitor')
      expect([kind, matching.map(([pod]) => pod)]).toEqual([kind, [metadata.name.replace(/-metrics$/, '')]])
  }
})

renderTest.each(names)('%s: no root, a read-only root file system, and every volume is mounted', name => {
  for (const each of pods(name)) {
    const pod = podOf(each)
    expect(pod.securityContext.runAsNonRoot).toBe(true)
    const [container] = pod.containers
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const mounted = container.volumeMounts.map((mount: Resource) => mount.name)
    expect(pod.volumes.map((volume: Resource) => volume.name).sort()).toEqual(mounted.sort())
  }
})

renderTest.each(names)('%s: servers have probes, and secrets come from existing Secrets', name => {
  for (const each of pods(name).filter(({ kind }) => kind === 'Deployment')) {
    expect(podOf(each).containers[0]).toMatchObject({
      args: ['serve'],
      startupProbe: { httpGet: { path: '/healthz', port: 'http' } },
      readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
      livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
    })
  }
  for (const each of pods(name))
    expect(envOf(each).QUIRE_DATABASE).toEqual({ secretKeyRef: { name: 'quire-database', key: 'url' } })
  expect(all(name).map(({ kind }) => kind)).not.toContain('Secret')
})

renderTest.each(names)('%s: every variable is a setting of the server', name => {
  const known = new Set<string | undefined>(Object.values(serveSettings).map(({ env }) => env))
  const foreign = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'HOME']
  for (const each of pods(name)) {
    const variables = podOf(each).containers[0].env.map((variable: Resource) => variable.name)
    expect(new Set(variables).size).toBe(variables.length)
    expect(variables.filter((variable: string) => !known.has(variable) && !foreign.includes(variable))).toEqual([])
  }
})

renderTest('API servers and runners have their roles, two of each, and a budget for disruptions', () => {
  for (const role of ['api', 'runner']) {
    const deployment = find('usual', 'Deployment', role)
    expect([deployment.spec.replicas, envOf(deployment).QUIRE_ROLE]).toEqual([2, role])
    expect(find('usual', 'PodDisruptionBudget', role).spec.maxUnavailable).toBe(1)
    expect(find('one of each', 'PodDisruptionBudget', role)).toBeUndefined()
  }
  expect(find('usual', 'Deployment', 'api').spec.strategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 })
  expect(find('usual', 'Service', 'api').spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }])
  expect(find('usual', 'Service', 'runner')).toBeUndefined()
})

renderTest('with a webhook key, all servers have it, as a folder', () => {
  const resources = renderChart(chart, { given: withValues({ webhookKey: { existingSecret: 'quire-webhook-key' } }) })
  const servers = (resources.get('given') ?? []).filter(({ kind }) => kind === 'Deployment')
  expect(servers).toHaveLength(2)
  for (const { spec } of servers) {
    const { volumes, containers } = spec.template.spec
    const secret = { secretName: 'quire-webhook-key', defaultMode: 0o440 }
    expect(volumes).toContainEqual({ name: 'webhook-key', secret })
    const mount = { name: 'webhook-key', mountPath: '/etc/quire/webhook', readOnly: true }
    expect(containers[0].volumeMounts).toContainEqual(mount)
    const variable = { name: 'QUIRE_WEBHOOK_KEY_FILE', value: '/etc/quire/webhook/webhook.key' }
    expect(containers[0].env).toContainEqual(variable)
  }
})

renderTest('only API servers have the link key, as a folder', () => {
  const api = find('usual', 'Deployment', 'api')
  expect(envOf(api)).toMatchObject({
    QUIRE_LINK_KEY_FILE: '/etc/quire/link/link.key',
    QUIRE_PUBLIC_URL: 'https://api.example.com',
    QUIRE_BUNDLE_LINKS: 'quire',
  })
  const volume = podOf(api).volumes.find((each: Resource) => each.name === 'link-key')
  expect(volume.secret).toEqual({ secretName: 'quire-link-key', defaultMode: 0o440 })
  const mount = podOf(api).containers[0].volumeMounts.find((each: Resource) => each.name === 'link-key')
  expect(mount).toEqual({ name: 'link-key', mountPath: '/etc/quire/link', readOnly: true })
  expect(envOf(find('usual', 'Deployment', 'runner'))).not.toHaveProperty('QUIRE_LINK_KEY_FILE')
})

renderTest('the values become settings', () => {
  const runner = find('one of each', 'Deployment', 'runner')
  expect(envOf(runner)).toMatchObject({
    QUIRE_VERIFY: 'static',
    QUIRE_EXPORT_RETENTION_DAYS: '90',
    QUIRE_EXPORTS_AT_ONCE: '2',
  })
  expect(podOf(runner).securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' })
  expect(podOf(find('usual', 'Deployment', 'runner')).securityContext.seccompProfile).toEqual({
    type: 'Localhost',
    localhostProfile: 'quire.json',
  })
  const cloud = find('an identity of the cloud', 'Deployment', 'api')
  expect(envOf(cloud)).toMatchObject({
    QUIRE_BUNDLES: 's3://bucket?region=eu-central-1',
    QUIRE_BUNDLE_LINKS: 'presigned',
  })
  expect(envOf(cloud)).not.toHaveProperty('AWS_ACCESS_KEY_ID')
  expect(podOf(cloud)).toMatchObject({ serviceAccountName: 'quire', automountServiceAccountToken: true })
  expect(podOf(find('usual', 'Deployment', 'api')).automountServiceAccountToken).toBe(false)
  expect(envOf(find('an ingress with TLS', 'Deployment', 'api')).QUIRE_TRUSTED_PROXIES).toBe('10.0.0.0/8,2001:db8::/32')
  expect(podOf(find('places and limits', 'Deployment', 'api'))).toMatchObject({
    nodeSelector: { disk: 'ssd' },
    imagePullSecrets: [{ name: 'pull' }],
    containers: [{ image: 'registry.example.com:5000/docs/quire-server:1.2.3' }],
  })
  expect(podOf(find('openshift', 'Deployment', 'api')).securityContext).not.toHaveProperty('runAsUser')
})

renderTest('the migration runs before the pods are replaced', () => {
  const job = find('usual', 'Job', 'migration')
  expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  expect(podOf(job)).toMatchObject({ restartPolicy: 'Never', containers: [{ args: ['orgs', 'list'] }] })
  expect(find('no migration', 'Job', 'migration')).toBeUndefined()
})

renderTest('only the API and the metrics can be reached', () => {
  const rulesOf = (name: string, role: string) => find(name, 'NetworkPolicy', role).spec.ingress
  expect(find('usual', 'NetworkPolicy', 'api').spec.policyTypes).toEqual(['Ingress'])
  expect(rulesOf('usual', 'api')).toEqual([{ ports: [{ port: 'http' }] }])
  expect(rulesOf('usual', 'runner')).toEqual([])
  const metrics = { ports: [{ port: 'metrics' }], from: [{ namespaceSelector: {} }] }
  expect(rulesOf('metrics, and peers', 'runner')).toEqual([metrics])
  const http = { ports: [{ port: 'http' }], from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] }
  expect(rulesOf('metrics, and peers', 'api')).toEqual([http, metrics])
  expect(find('no network policies', 'NetworkPolicy', 'api')).toBeUndefined()
})

renderTest('with metrics, Prometheus finds the pods of each role', () => {
  for (const role of ['api', 'runner']) {
    const server = find('metrics, and peers', 'Deployment', role)
    expect(envOf(server).QUIRE_METRICS_ADDRESS).toBe('0.0.0.0:9464')
    expect(podOf(server).containers[0].ports).toContainEqual({ name: 'metrics', containerPort: 9464 })
    const { metadata, spec } = find('metrics, and peers', 'Service', `${role}-metrics`)
    expect(spec).toMatchObject({ clusterIP: 'None', ports: [{ name: 'metrics', port: 9464, targetPort: 'metrics' }] })
    const monitor = find('metrics, and peers', 'ServiceMonitor', `${role}-metrics`)
    expect(monitor.metadata.labels.release).toBe('prometheus')
    expect(metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    expect(find('usual', 'Service', `${role}-metrics`)).toBeUndefined()
  }
})

renderTest('the ingress leads to the API servers', () => {
  const { spec } = find('an ingress with TLS', 'Ingress', 'api')
  expect(spec).toMatchObject({
    ingressClassName: 'nginx',
    tls: [{ hosts: ['api.example.com'], secretName: 'api-tls' }],
    rules: [{ host: 'api.example.com', http: { paths: [{ backend: { service: { name: 'docs-quire-api' } } }] } }],
  })
  expect(find('usual', 'Ingress', 'api')).toBeUndefined()
})

renderTest.each([
  ['publicUrl', { publicUrl: '' }],
  ['database.existingSecret', { database: { existingSecret: '', key: 'url' } }],
  ['bundles.url', { bundles: { url: '', existingSecret: '', links: 'quire' } }],
  ['linkKey.existingSecret', { linkKey: { existingSecret: '', key: 'link.key' } }],
])('without %s, nothing is rendered, and the error names it', (name, values) => {
  expect(() => renderChart(chart, { lacking: withValues(values) })).toThrow(`${name} is needed`)
})
