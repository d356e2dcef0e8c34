import { beforeAll, describe, expect, test } from 'vitest'
import { canRender, chartPackages, type Resource, renderChart } from '../../support/render-chart.ts'
import { chart, link, type Values, valueSets } from './chart-values.ts'

let rendered = new Map<string, Resource[]>()
beforeAll(() => {
  rendered = renderChart(chart, valueSets)
})

const all = (name: string) => rendered.get(name) ?? []
const find = (name: string, kind: string): Resource => all(name).find(each => each.kind === kind)
const workload = (name: string): Resource => find(name, 'StatefulSet') ?? find(name, 'Deployment')
const container = (name: string): Resource => workload(name).spec.template.spec.containers[0]
const envOf = (name: string): Record<string, unknown> =>
  Object.fromEntries(container(name).env.map((each: Resource) => [each.name, each.value ?? each.valueFrom]))

const others = Object.keys(valueSets).filter(name => name !== 'defaults')

const title = `rendered by Go (apt-get install ${chartPackages.join(' ')})`

describe.skipIf(!canRender)(`the pods, ${title}`, () => {
  test('without an export, nothing is deployed', () => {
    expect(others.length).toBeGreaterThanOrEqual(12)
    expect(all('defaults')).toEqual([])
  })

  test.each(others)('%s: each resource has its name and labels, and selectors find the pods', name => {
    const { selector, template } = workload(name).spec
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    for (const { apiVersion, kind, metadata, spec } of all(name)) {
      expect([apiVersion, kind, metadata]).toEqual([
        expect.any(String),
        expect.any(String),
        {
          ...metadata,
          name: expect.stringMatching(/^docs-quire-host(-metrics)?$/),
          labels: expect.objectContaining({ 'app.kubernetes.io/instance': 'docs' }),
        },
      ])
      if (kind === 'Service') expect(template.metadata.labels).toMatchObject(spec.selector)
    }
  })

  test.each(others)('%s: no root, a read-only root file system, probes, and no token', name => {
    const pod = workload(name).spec.template.spec
    expect(pod).toMatchObject({ automountServiceAccountToken: false, securityContext: { runAsNonRoot: true } })
    expect(pod.securityContext.seccompProfile).toEqual({ type: 'RuntimeDefault' })
    expect(container(name)).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      startupProbe: { httpGet: { path: '/healthz' } },
      readinessProbe: { httpGet: { path: '/readyz' } },
      livenessProbe: { httpGet: { path: '/healthz' } },
    })
    const mounted = container(name).volumeMounts.map((each: Resource) => each.name)
    const claims = workload(name).spec.volumeClaimTemplates ?? []
    const volumes = [
      ...pod.volumes.map((each: Resource) => each.name),
      ...claims.map((each: Resource) => each.metadata.name),
    ]
    expect(volumes.sort()).toEqual(mounted.sort())
  })

  const withOwnSecret = others.filter(name => name !== 'a link in a Secret')
  test.each(withOwnSecret)('%s: the link is only in a Secret, and a new link replaces the pods', name => {
    const url = (valueSets[name]?.staticExport as Values | undefined)?.bundleUrl
    expect(find(name, 'Secret').stringData).toEqual({ bundleUrl: url })
    const rest = JSON.stringify(all(name).filter(({ kind }) => kind !== 'Secret'))
    expect(rest).not.toContain('signature')
    expect(envOf(name).QUIRE_HOST_BUNDLE).toEqual({ secretKeyRef: { name: 'docs-quire-host', key: 'bundleUrl' } })
    expect(workload(name).spec.template.metadata.annotations['quire/bundle']).toMatch(/^[0-9a-f]{64}$/)
  })

  test('a link may be in a Secret that exists, and the hash of the bundle decides whether pods are replaced', () => {
    const name = 'a link in a Secret'
    expect(find(name, 'Secret')).toBeUndefined()
    expect(envOf(name)).toMatchObject({
      QUIRE_HOST_BUNDLE: { secretKeyRef: { name: 'docs-link', key: 'url' } },
      QUIRE_HOST_SHA256: 'a'.repeat(64),
    })
    expect(workload(name).spec.template.metadata.annotations['quire/bundle']).toBe('a'.repeat(64))
    expect(find(name, 'NetworkPolicy').spec.egress[1].ports).toEqual([{ port: 9000, protocol: 'TCP' }])
  })

  test('with metrics, Prometheus finds the pods', () => {
    expect(envOf('metrics').QUIRE_METRICS_ADDRESS).toBe('0.0.0.0:9464')
    const monitor = find('metrics', 'ServiceMonitor')
    expect(monitor.metadata.labels.release).toBe('prometheus')
    const service = all('metrics').find(({ metadata }) => metadata.name === 'docs-quire-host-metrics')
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    expect(service.spec.ports).toEqual([{ name: 'metrics', port: 9464, targetPort: 'metrics' }])
    expect(container('metrics').ports).toContainEqual({ name: 'metrics', containerPort: 9464 })
  })

  test('the values become settings of the host', () => {
    expect(envOf('a pinned version').QUIRE_HOST_VERSION).toBe('release 2.4, "final"')
    expect(envOf('a link')).toMatchObject({ QUIRE_HOST_DEPLOYMENT: 'air-gapped', QUIRE_HOST_FEATURES: '' })
    expect(envOf('client-hosted with features')).toMatchObject({
      QUIRE_HOST_DEPLOYMENT: 'client-hosted',
      QUIRE_HOST_FEATURES: 'search=on,analytics=off',
      QUIRE_HOST_FEATURE_HOSTS: 'playground=https://api.example.com',
    })
    expect(envOf('cors and proxies')).toMatchObject({
      QUIRE_CORS_ORIGIN: 'https://app.example.com,https://b.example.com:8443',
      QUIRE_TRUSTED_PROXIES: '10.0.0.0/8,2001:db8::/32',
    })
    expect(container('places and limits').image).toBe('registry.example.com:5000/docs/quire:1.2.3')
  })
})

describe.skipIf(!canRender)(`what is around the pods, ${title}`, () => {
  test('with persistence each pod has its volume; without, the pods overlap', () => {
    expect(find('a link', 'StatefulSet').spec).toMatchObject({ replicas: 2, serviceName: 'docs-quire-host' })
    expect(find('places and limits', 'StatefulSet').spec.volumeClaimTemplates[0].spec).toMatchObject({
      storageClassName: 'fast',
      resources: { requests: { storage: '20Gi' } },
    })
    const { replicas, strategy } = find('one pod without persistence', 'Deployment').spec
    expect([replicas, strategy.rollingUpdate.maxUnavailable]).toEqual([1, 0])
    expect(find('one pod without persistence', 'PodDisruptionBudget')).toBeUndefined()
    expect(find('a link', 'PodDisruptionBudget').spec.maxUnavailable).toBe(1)
  })

  test('the network policy denies what is neither the name service nor the bundle', () => {
    const { policyTypes, egress, ingress } = find('a link', 'NetworkPolicy').spec
    expect(policyTypes).toEqual(['Ingress', 'Egress'])
    expect(ingress).toEqual([{ ports: [{ port: 'http' }] }])
    expect(egress.map((rule: Resource) => [rule.ports.map((each: Resource) => each.port), rule.to])).toEqual([
      [[53, 53], [{ namespaceSelector: {} }]],
      [[443], undefined],
    ])
    const inside = find('a bundle in the cluster', 'NetworkPolicy').spec
    expect(inside.egress[1]).toEqual({
      ports: [{ port: 8787, protocol: 'TCP' }],
      to: [{ podSelector: { matchLabels: { app: 'quire' } } }],
    })
    expect(inside.ingress[0].from).toEqual([{ namespaceSelector: {} }])
    expect(find('no network policy', 'NetworkPolicy')).toBeUndefined()
  })

  test('on OpenShift the cluster chooses the user', () => {
    expect(Object.keys(workload('openshift').spec.template.spec.securityContext)).toEqual([
      'runAsNonRoot',
      'seccompProfile',
    ])
    expect(workload('a link').spec.template.spec.securityContext.fsGroup).toBe(10001)
  })

  test('the ingress leads to the service', () => {
    const { spec, metadata } = find('an ingress with TLS', 'Ingress')
    expect(metadata.annotations).toEqual({ 'a/b': 'c' })
    expect(spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['docs.example.com'], secretName: 'docs-tls' }],
      rules: [{ host: 'docs.example.com' }],
    })
    expect(find('an ingress without TLS', 'Ingress').spec.tls).toBeUndefined()
    expect(find('a link', 'Ingress')).toBeUndefined()
    expect(link).toContain('signature')
  })
})
