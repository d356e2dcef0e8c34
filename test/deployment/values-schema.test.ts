import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { chart, type Values, valueSets, withValues } from './chart-values.ts'

const isValid = new Ajv({ allErrors: true, strict: false }).compile(
  JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')),
)
const defaults = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))

test.each(Object.entries({ ...valueSets, defaults }))('accepts %s', (_, values) => {
  isValid(values)
  expect(isValid.errors ?? []).toEqual([])
})

test.each<[string, Values]>([
  ['an unknown field', { replica: 2 }],
  ['a database address in place of a Secret', { database: { existingSecret: 'postgres://quire:pw@db/quire' } }],
  ['an unknown field of the database', { database: { url: 'postgres://db/quire' } }],
  ['bundles in a folder', { bundles: { url: '/var/lib/quire/bundles' } }],
  ['credentials in the address of the bundles', { bundles: { url: 's3://name:secret@bucket' } }],
  ['an unknown kind of links', { bundles: { links: 'signed' } }],
  ['a public address with a query', { publicUrl: 'https://api.example.com/?x=1' }],
  ['a public address without a scheme', { publicUrl: 'api.example.com' }],
  ['no API pods', { api: { replicas: 0 } }],
  ['half a runner', { runner: { replicas: 1.5 } }],
  ['a size without a unit of Kubernetes', { runner: { scratchSize: '20 GB' } }],
  ['a runner without a seccomp profile', { runner: { seccompProfile: { type: 'Unconfined' } } }],
  ['a setting of another program', { settings: { AWS_REGION: 'x' } }],
  ['a setting that the chart sets', { settings: { QUIRE_ROLE: 'all' } }],
  ['a setting that is a number', { settings: { QUIRE_EXPORT_RETENTION_DAYS: 90 } }],
  ['an ingress without a host', { ingress: { enabled: true, host: '' } }],
  ['a port out of range', { service: { port: 70_000 } }],
  ['metrics on the port of the API', { metrics: { enabled: true, port: 8080 } }],
  ['a peer that is an address', { networkPolicy: { enabled: true, from: ['10.0.0.0/8'] } }],
  ['a proxy that is a name', { trustedProxies: ['proxy.example.com'] }],
])('refuses %s', (_, values) => {
  expect(isValid(withValues(values))).toBe(false)
})
