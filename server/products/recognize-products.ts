import type { NamedReference } from '../in-page/browser/reference-signs.ts'
import type { Feature, RemovalRules } from '../tenancy/removal-rules.ts'
import { createAddressIndex, parseAddressPattern } from '../web/address-pattern.ts'
import { createSelectorIndex, type ElementView, matchesSelector, parseSelector } from '../web/html/selector.ts'
import type { Features } from './features.ts'
import type { Product, ProductSigns } from './product.ts'
import { knownProducts } from './products.ts'
import { findProduct } from './removal-rules.ts'

/** A product, and what this export does with it. */
export interface RecognizedProduct {
  name: string
  /** null = a single element or script that the site's settings name. */
  feature: Feature | null
  treatment: Treatment
  signs: ProductSigns
}

/** What an export does with a product. `freeze` = a browser shows the reference, and its text stays without its console. */
export type Treatment = 'keep' | 'remove' | 'freeze'

/** Recognises the products that parts of a page belong to. */
export interface Recognizer {
  byName(name: string): RecognizedProduct | undefined
  /** The signs of the references to freeze. */
  references: readonly NamedReference[]
  /** Caches open tags that belong to no product on any page, because pages repeat most of their tags. */
  plainTags: Set<string>
  /** Finds the product that a file, frame or connection of this address belongs to. */
  byAddress(url: URL, isOwn: boolean): RecognizedProduct | undefined
  /** Finds the product that an inline script or an event handler starts. */
  byScript(text: string): RecognizedProduct | undefined
  /** Finds products with a trace in a script that the site needs. */
  byTrace(text: string): RecognizedProduct[]
  /** Finds the product of an element. `isProof` false = the element counts only if something else proves the product. */
  byElement(
    element: ElementView,
    attributes: readonly { name: string }[],
  ): { product: RecognizedProduct; isProof: boolean }[]
  /** Decides whether the site's settings protect an element. */
  isKept(element: ElementView): boolean
}

/** Elements that the author of a site marks: they need its server, such as a link to sign in. To leave them out is no loss. */
export const authorMark: RecognizedProduct = {
  name: 'data-quire-export="remove"',
  feature: null,
  treatment: 'remove',
  signs: { name: 'data-quire-export="remove"', elements: ['[data-quire-export=remove]'] },
}

/** Max length of a loader. Longer scripts are the site's own code or data, which its pages need. */
const maxLoaderLength = 64 * 1024
/** Matches inline scripts in which frameworks store the data of a page. They contain the text of the page. */
const dataCarrier =
  /^[(;]*(self|window|globalThis)?[.[']*(__next_|__NEXT_|__NUXT|__remix|__reactRouter|__VP_|__sveltekit|__INITIAL_STATE|__PRELOADED_STATE|__APOLLO_STATE|__staticRouter|__docusaurus|___)/
const maxCachedScripts = 2000

/** @param freezes whether references whose feature is off are frozen. Otherwise they are removed. */
export function createRecognizer(features: Features, rules: RemovalRules | null, freezes: boolean): Recognizer {
  const keep = readKeep(rules?.keep ?? [])
  const products = [authorMark, ...siteProducts(features, rules), ...tableProducts(features, keep.products, freezes)]
  const addresses = createAddressIndex(
    products.flatMap(of => (of.signs.addresses ?? []).map(text => ({ pattern: parseAddressPattern(text), of }))),
  )
  const elements = createSelectorIndex(
    products.flatMap(product => [
      ...(product.signs.elements ?? []).map(text => ({
        selector: parseSelector(text),
        of: { product, isProof: true },
      })),
      ...(product.signs.parts ?? []).map(text => ({ selector: parseSelector(text), of: { product, isProof: false } })),
    ]),
  )
  const texts = (kind: 'inline' | 'traces') =>
    products.flatMap(product => (product.signs[kind] ?? []).map(text => ({ text: normalizeScript(text), product })))
  const inline = texts('inline')
  const traces = texts('traces')
  // The key is the script text, because sites repeat the same few inline scripts on every page.
  const cachedScripts = new Map<string, RecognizedProduct | undefined>()

  function findScript(text: string): RecognizedProduct | undefined {
    if (text.length > maxLoaderLength) return undefined
    const bare = normalizeScript(text)
    if (dataCarrier.test(bare)) return undefined
    return inline.find(sign => hasWord(bare, sign.text))?.product
  }

  const byName = new Map([...products].reverse().map(product => [product.name, product]))

  return {
    byName: name => byName.get(name),
    references: products.flatMap(({ name, treatment, signs }) =>
      treatment === 'freeze' && signs.reference ? [{ ...signs.reference, name }] : [],
    ),
    plainTags: new Set(),
    byAddress(url, isOwn) {
      const found = addresses.find(url, isOwn)
      return found && keep.addresses.some(pattern => pattern.matches(url)) ? undefined : found
    },
    byScript(text) {
      if (cachedScripts.has(text)) return cachedScripts.get(text)
      const found = findScript(text)
      if (cachedScripts.size < maxCachedScripts && text.length < 4096) cachedScripts.set(text, found)
      return found
    },
    byTrace(text) {
      // Most scripts have no trace, and normalizing a long script takes time and memory.
      if (!traces.some(sign => text.includes(longestWord(sign.text)))) return []
      const bare = normalizeScript(text)
      return traces.filter(sign => bare.includes(sign.text)).map(({ product }) => product)
    },
    byElement: (element, attributes) => elements.find(element, attributes),
    isKept: element => keep.selectors.some(selector => matchesSelector(selector, element)),
  }
}

function tableProducts(
  features: Features,
  keptNames: ReadonlySet<ProductSigns>,
  freezes: boolean,
): RecognizedProduct[] {
  return knownProducts
    .filter(product => !keptNames.has(product))
    .map(signs => ({ name: signs.name, feature: signs.feature, treatment: treat(signs, features, freezes), signs }))
    .filter(({ treatment, signs }) => treatment === 'freeze' || hasConsole(signs))
}

function treat({ feature, reference }: Product, features: Features, freezes: boolean): Treatment {
  if (features[feature]) return 'keep'
  return reference && freezes ? 'freeze' : 'remove'
}

/** Decides whether a product has parts that send requests. */
export function hasConsole({ reference }: ProductSigns): boolean {
  return !reference || Object.keys(reference.consoles).length > 0
}

function siteProducts(features: Features, rules: RemovalRules | null): RecognizedProduct[] {
  if (!rules) return []
  const signsOf = (name: string, selectors: string[], scripts: string[]): ProductSigns => ({
    name,
    elements: selectors,
    addresses: scripts.filter(text => !text.startsWith('inline:')),
    inline: scripts.filter(text => text.startsWith('inline:')).map(text => text.slice('inline:'.length)),
  })
  const always = (text: string, selectors: string[], scripts: string[]): RecognizedProduct => ({
    name: text,
    feature: null,
    treatment: 'remove',
    signs: signsOf(text, selectors, scripts),
  })
  return [
    ...rules.removeSelectors.map(text => always(text, [text], [])),
    ...rules.removeScripts.map(text => always(text, [], [text])),
    ...rules.products.map(({ name, feature, selectors, scripts }) => ({
      name,
      feature,
      treatment: features[feature] ? ('keep' as const) : ('remove' as const),
      signs: signsOf(name, selectors, scripts),
    })),
  ]
}

function readKeep(keep: readonly string[]) {
  const rest = keep.filter(text => !findProduct(text))
  return {
    products: new Set(keep.flatMap(text => findProduct(text) ?? [])),
    addresses: rest.filter(text => text.includes('/')).map(parseAddressPattern),
    selectors: rest.filter(text => !text.includes('/')).map(parseSelector),
  }
}

/** Decides whether the script contains the sign other than as the end of a longer name. */
function hasWord(script: string, sign: string): boolean {
  const isName = /^[\w$]/.test(sign)
  for (let at = script.indexOf(sign); at !== -1; at = script.indexOf(sign, at + 1)) {
    if (!isName || !/[\w$]/.test(script.charAt(at - 1))) return true
  }
  return false
}

function longestWord(text: string): string {
  return text.split(/\W+/).reduce((a, b) => (b.length > a.length ? b : a))
}

/** Returns the same text for scripts that differ only in white space, quotes or escapes. */
export function normalizeScript(text: string): string {
  return text
    .replace(/\\+/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[^\w$ ])|(?<=[^\w$ ]) /g, '')
    .replace(/["`]/g, "'")
}
