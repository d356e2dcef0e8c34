import { expect, test } from 'vitest'
import { type LockedPackages, listLocked, writeComponents } from '../../../scripts/release/components.ts'

const packages: LockedPackages = {
  '': {},
  'node_modules/a': { version: '1.0.0', license: 'MIT', integrity: 'sha512-AAEC', dependencies: { c: '^2.0.0' } },
  'node_modules/a/node_modules/c': { version: '2.0.0', license: 'SEE LICENSE IN x', dependencies: { '@d/e': '1' } },
  'node_modules/c': { version: '1.0.0' },
  'node_modules/@d/e': { version: '1.0.0', license: 'MIT OR ISC', dependencies: { a: '1' } },
}

test('the packages that a package needs are those that Node finds, each once', () => {
  const found = listLocked(packages, ['a']).map(({ name, version }) => `${name} ${version}`)
  expect(found).toEqual(['@d/e 1.0.0', 'a 1.0.0', 'c 2.0.0'])
})

test('the document names addresses, licenses and digests, and is the same each time', () => {
  const components = [...listLocked(packages, ['a']), { name: 'SQLite', version: '3.0.0', license: 'blessing' }]
  const described = { name: 'quire.tgz', version: '0.2.0', sha256: 'f'.repeat(64), components }
  const text = writeComponents(described, packages, new Date(0))
  expect(writeComponents(described, packages, new Date(0))).toBe(text)
  const document = JSON.parse(text)
  expect(document.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(document.components.map(({ purl }: { purl: string }) => purl)).toEqual([
    'pkg:npm/%40d/e@1.0.0',
    'pkg:npm/a@1.0.0',
    'pkg:npm/c@2.0.0',
    'pkg:generic/sqlite@3.0.0',
  ])
  expect(document.components[1]).toMatchObject({
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-512', content: '000102' }],
  })
  expect(document.components[2].licenses).toEqual([{ license: { name: 'SEE LICENSE IN x' } }])
})
