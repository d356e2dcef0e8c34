import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { chart, enabled, type Values, valueSets, withValues } from './chart-values.ts'

const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8'))
const isValid = new Ajv({ allErrors: true, strict: false }).compile(schema)

test.each(Object.entries(valueSets))('accepts %s', (_, values) => {
  isValid(values)
  expect(isValid.errors ?? []).toEqual([])
})

const host = { feature: 'search', origin: 'https://s.example' }

test.each<[string, Values]>([
  ['an export without a link', withValues({ staticExport: { enabled: true } })],
  ['a link with a comma', enabled({ staticExport: { bundleUrl: 'https://a.example/b,c' } })],
  ['a link of another scheme', enabled({ staticExport: { bundleUrl: 'ftp://a.example/b' } })],
  ['a link with a command', enabled({ staticExport: { bundleUrl: 'https://a.example/$(id)' } })],
  ['enabled as a text', enabled({ staticExport: { enabled: 'true' } })],
  ['a version that is a number', enabled({ staticExport: { version: 2.4 } })],
  ['an unknown field of the export', enabled({ staticExport: { hash: 'ab' } })],
  ['a hash that is too short', enabled({ staticExport: { sha256: 'ab' } })],
  ['metrics on the port of the site', enabled({ metrics: { enabled: true, port: 8080 } })],
  ['an unknown field', enabled({ replica: 2 })],
  ['no pods', enabled({ replicas: 0 })],
  ['half a pod', enabled({ replicas: 1.5 })],
  ['an unknown deployment', enabled({ deployment: 'on-premise' })],
  ['search in an air-gapped deployment', enabled({ features: { search: true } })],
  ['an assistant in an air-gapped deployment', enabled({ features: { assistant: true } })],
  ['analytics in an air-gapped deployment', enabled({ features: { analytics: true } })],
  ['a host in an air-gapped deployment', enabled({ featureHosts: [{ ...host, feature: 'playground' }] })],
  ['a cloud deployment without search', enabled({ deployment: 'cloud', features: { search: false } })],
  [
    'a client-hosted one without its playground',
    enabled({ deployment: 'client-hosted', features: { playground: false } }),
  ],
  ['an unknown feature', enabled({ features: { chat: true } })],
  ['a host with a path', enabled({ deployment: 'cloud', featureHosts: [{ ...host, origin: 'https://s.example/x' }] })],
  ['an origin without a scheme', enabled({ cors: { origins: ['app.example.com'] } })],
  ['any origin', enabled({ cors: { origins: ['*'] } })],
  ['an ingress without a host', enabled({ ingress: { enabled: true } })],
  ['a host with a space', enabled({ ingress: { enabled: true, host: 'docs example' } })],
  ['a size without a unit of Kubernetes', enabled({ persistence: { size: '5 GB' } })],
  ['a port out of range', enabled({ service: { port: 70_000 } })],
  ['a proxy that is a name', enabled({ trustedProxies: ['proxy.example.com'] })],
  ['an image with capitals', enabled({ image: { repository: 'Quire' } })],
  ['a pull policy that does not exist', enabled({ image: { pullPolicy: 'Sometimes' } })],
])('refuses %s', (_, values) => {
  expect(isValid(values)).toBe(false)
})
