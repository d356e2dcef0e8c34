import type { Feature } from '../tenancy/removal-rules.ts'
import type { Product, ProductSigns } from './product.ts'
import { analyticsProducts } from './products-analytics.ts'
import { assistantProducts } from './products-assistant.ts'
import { playgroundProducts } from './products-playground.ts'
import { referenceProducts } from './products-reference.ts'
import { searchProducts } from './products-search.ts'

const of = (feature: Feature, products: readonly ProductSigns[]): Product[] =>
  products.map(product => ({ ...product, feature }))

/** Known third-party products that rely on an online service. */
export const knownProducts: readonly Product[] = [
  ...of('search', searchProducts),
  ...of('assistant', assistantProducts),
  ...of('analytics', analyticsProducts),
  ...of('playground', referenceProducts),
  ...of('playground', playgroundProducts),
]
