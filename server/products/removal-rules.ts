import { OperatorError } from '../base/operator-error.ts'
import type { Feature, RemovalRules, SiteProduct } from '../tenancy/removal-rules.ts'
import { parseAddressPattern } from '../web/address-pattern.ts'
import { parseSelector } from '../web/html/selector.ts'
import type { ProductSigns } from './product.ts'
import { knownProducts } from './products.ts'

export const noRemovalRules: RemovalRules = {
  removeSelectors: [],
  removeScripts: [],
  keep: [],
  products: [],
  excludePages: [],
}

const features: readonly Feature[] = ['search', 'assistant', 'analytics', 'playground']
const maxEntries = 200

/**
 * Checks the rules and returns them.
 *
 * @throws {OperatorError} with the field and the remedy when a rule is invalid.
 */
export function checkRemovalRules(rules: RemovalRules): RemovalRules {
  for (const text of rules.removeSelectors) readable('removeSelectors', () => parseSelector(text))
  for (const text of rules.removeScripts) checkScript('removeScripts', text)
  for (const text of rules.keep) checkKeep(text)
  for (const text of rules.excludePages) readable('excludePages', () => parseAddressPattern(text))
  for (const { name, selectors, scripts } of rules.products) {
    for (const text of selectors) readable(`products: ${name}: selectors`, () => parseSelector(text))
    for (const text of scripts) checkScript(`products: ${name}: scripts`, text)
  }
  return rules
}

/**
 * Reads rules from JSON: `{"removeSelectors": [], "removeScripts": [], "keep": [], "products": [{"name", "feature",
 * "selectors": [], "scripts": []}], "excludePages": []}`. Every field is optional.
 *
 * @throws {OperatorError} with the field and the remedy.
 */
export function parseRemovalRules(text: string): RemovalRules {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new OperatorError(`The file is not valid JSON: ${(error as Error).message}`, 2)
  }
  const rules = readObject('The file', value, Object.keys(noRemovalRules))
  const products = rules.products ?? []
  if (!Array.isArray(products)) throw new OperatorError('products must be a list.', 2)
  return checkRemovalRules({
    removeSelectors: readTexts('removeSelectors', rules.removeSelectors),
    removeScripts: readTexts('removeScripts', rules.removeScripts),
    keep: readTexts('keep', rules.keep),
    products: products.map((product, index) => readProduct(`products[${index}]`, product)),
    excludePages: readTexts('excludePages', rules.excludePages),
  })
}

/** Combines two sets of rules; null = no rules. */
export function joinRules(first: RemovalRules | null, second: RemovalRules | null): RemovalRules | null {
  if (!first || !second) return first ?? second
  const join = (a: string[], b: string[]) => [...new Set([...a, ...b])]
  return {
    removeSelectors: join(first.removeSelectors, second.removeSelectors),
    removeScripts: join(first.removeScripts, second.removeScripts),
    keep: join(first.keep, second.keep),
    products: [...first.products, ...second.products],
    excludePages: join(first.excludePages, second.excludePages),
  }
}

/** Finds the known product with this name, ignoring case. */
export function findProduct(name: string): ProductSigns | undefined {
  const wanted = name.trim().toLowerCase()
  return knownProducts.find(product => product.name.toLowerCase() === wanted)
}

function readProduct(field: string, value: unknown): SiteProduct {
  const { name, feature, selectors, scripts } = readObject(field, value, ['name', 'feature', 'selectors', 'scripts'])
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100)
    throw new OperatorError(`${field}.name must be a string of 1 to 100 characters.`, 2)
  const known = features.find(one => one === feature)
  if (!known) throw new OperatorError(`${field}.feature must be one of ${features.join(', ')}.`, 2)
  const product = {
    name: name.trim(),
    feature: known,
    selectors: readTexts(`${field}.selectors`, selectors),
    scripts: readTexts(`${field}.scripts`, scripts),
  }
  if (product.selectors.length + product.scripts.length === 0)
    throw new OperatorError(`${field} needs selectors or scripts that identify it.`, 2)
  return product
}

function readObject(field: string, value: unknown, names: string[]): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw new OperatorError(`${field} must be a JSON object.`, 2)
  const unknown = Object.keys(value).find(name => !names.includes(name))
  if (unknown !== undefined)
    throw new OperatorError(
      `${field} has an unknown field ${JSON.stringify(unknown)}; the known fields are ${names.join(', ')}.`,
      2,
    )
  return value as Record<string, unknown>
}

function readTexts(field: string, value: unknown): string[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || !value.every(one => typeof one === 'string'))
    throw new OperatorError(`${field} must be a list of strings.`, 2)
  if (value.length > maxEntries) throw new OperatorError(`${field} has more than ${maxEntries} entries.`, 2)
  return value.map(one => one.trim())
}

function checkScript(field: string, text: string): void {
  if (!text.startsWith('inline:')) readable(field, () => parseAddressPattern(text))
  else if (text.length < 'inline:'.length + 4)
    throw new OperatorError(`${field}: ${JSON.stringify(text)} needs at least 4 characters after inline:`, 2)
}

function checkKeep(text: string): void {
  if (findProduct(text)) return
  if (text.includes('/')) readable('keep', () => parseAddressPattern(text))
  else if (/[#.[-]/.test(text)) readable('keep', () => parseSelector(text))
  else
    throw new OperatorError(
      `keep: ${JSON.stringify(text)} is not a known product, a selector such as #search, or an address pattern such as /js/search.js.`,
      2,
    )
}

function readable(field: string, read: () => unknown): void {
  try {
    read()
  } catch (error) {
    throw new OperatorError(`${field}: ${(error as Error).message}`, 2)
  }
}
