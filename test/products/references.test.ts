import { describe, expect, test } from 'vitest'
import { createSite } from '../../server/export/model/site.ts'
import type { Features } from '../../server/products/features.ts'
import { createProductRemoval } from '../../server/products/product-removal.ts'
import { playgroundProducts } from '../../server/products/products-playground.ts'
import { referenceProducts } from '../../server/products/products-reference.ts'
import { noRemovalRules } from '../../server/products/removal-rules.ts'

const off: Features = { search: false, assistant: false, analytics: false, playground: false }
const on: Features = { ...off, playground: true }
const site = createSite('docs.example.com', new URL('http://127.0.0.1:3000/'))
const url = new URL('http://127.0.0.1:3000/api/')
const html = `<div id="swagger-ui">x</div><script src="https://unpkg.com/swagger-ui-dist@5/swagger-ui-bundle.js"></script>
<div id="graphiql">y</div><p>text</p>`

function clean(features: Features, freezes: boolean, text = html, keep: string[] = []) {
  const removal = createProductRemoval(features, { ...noRemovalRules, keep }, site, freezes)
  const { raw, products } = removal.clean({ text, charset: 'utf-8' }, url)
  const names = [...products].map(({ name }) => name)
  removal.note(url.href, names)
  return { text: raw.text, names, removal }
}

test('consoles and references are separate, and every reference says what of it sends requests', () => {
  expect(playgroundProducts.filter(({ reference }) => reference)).toEqual([])
  const named = referenceProducts.map(({ name, reference }) => [
    name,
    Object.keys(reference?.consoles ?? {}).length > 0,
  ])
  expect(Object.fromEntries(named)).toEqual({
    'Swagger UI': true,
    RapiDoc: true,
    'Stoplight Elements': true,
    Scalar: true,
    'OpenAPI Explorer': true,
    Redoc: false,
  })
  for (const name of ['GraphiQL', 'Apollo Sandbox', 'RunKit', 'CodeSandbox', 'Postman', 'GraphQL Playground'])
    expect(playgroundProducts.map(product => product.name)).toContain(name)
})

describe('where the feature is off', () => {
  test('a console is removed, and a reference waits for the browser', () => {
    const { text, removal, names } = clean(off, true)
    expect(text).toContain('swagger-ui-bundle.js')
    expect(text).toContain('<p>text</p>')
    expect(text).not.toContain('graphiql')
    expect(removal.listReferences(names)).toEqual(['Swagger UI'])
    expect(removal.references.map(({ name }) => name)).toEqual(referenceProducts.map(({ name }) => name))
  })

  test('the browser may load the script of a reference, and the bundle never loads it from its vendor', () => {
    const { removal } = clean(off, true)
    const script = new URL('https://unpkg.com/swagger-ui-dist@5/swagger-ui-bundle.js')
    expect([removal.refuse(script), removal.leavesOutside(script), removal.sourcesOn(url.href)]).toEqual([
      null,
      false,
      [],
    ])
    expect(removal.refuse(new URL('https://unpkg.com/graphiql@3/graphiql.js'))).toBe('GraphiQL: playground is off')
    expect(removal.refuse(new URL('https://validator.swagger.io/validator?url=x'))).toContain('playground is off')
  })

  test('a frozen reference is neither removed nor kept; one that could not be frozen was removed', () => {
    const { removal } = clean(off, true)
    const removed = (names: string[]) => names.map(product => ({ product, feature: 'playground', pages: 1 }))
    const counts = () => removal.count([url.href])
    expect(counts()).toEqual({
      removedFeatures: removed(['GraphiQL', 'Swagger UI']),
      keptFeatures: [],
      frozenReferences: [],
    })
    removal.noteFrozen(url.href, [{ name: 'Swagger UI', removed: ['Try it out'] }])
    expect(counts()).toEqual({
      removedFeatures: removed(['GraphiQL']),
      keptFeatures: [],
      frozenReferences: [{ page: url.href, product: 'Swagger UI', removed: ['Try it out'] }],
    })
  })

  test('without a browser, a reference is removed, and one without a console stays', () => {
    const redoc = '<redoc spec-url="/openapi.json"></redoc><script src="/redoc.standalone.js"></script>'
    const { text, removal } = clean(off, false, html + redoc)
    expect(text).not.toContain('swagger-ui')
    expect(text).toContain(redoc)
    expect(removal.references).toEqual([])
    expect(clean(off, true, redoc).names).toEqual(['Redoc'])
  })

  test('a reference that the settings keep stays as it is', () => {
    const { text, removal, names } = clean(off, true, html, ['swagger ui'])
    expect(text).toContain('swagger-ui-bundle.js')
    expect(removal.listReferences(names)).toEqual([])
  })
})

test('where the feature is on, nothing is removed and nothing is frozen', () => {
  const { text, removal, names } = clean(on, true)
  expect(text).toBe(html)
  expect(removal.references).toEqual([])
  expect(removal.listReferences(names)).toEqual([])
  const redoc = '<redoc spec-url="/openapi.json"></redoc>'
  expect(clean(on, true, redoc).names).toEqual([])
})
