import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { createProductRemoval, type ProductRemoval } from '../../products/product-removal.ts'
import { createExclusions } from '../model/exclusions.ts'
import { createSite } from '../model/site.ts'
import { createBundleMap } from '../rewrite/bundle-map.ts'
import type { PageWork, PageWorkSetup } from './page-tasks.ts'
import { createPageReader } from './read-page.ts'
import { createSpanReader, createSpool } from './spool.ts'
import { type PageWriting, writePage } from './write-page.ts'

export function createPageWork(setup: PageWorkSetup): PageWork {
  const { domain, origin, features, removal, freezesReferences, folder } = setup
  const site = createSite(domain, new URL(origin))
  const products = createProductRemoval(features, removal, site, freezesReferences)
  const readWith = (products: ProductRemoval) => createPageReader(site, products, spool)
  let readWithout: ReturnType<typeof readWith> | null = null
  const exclusions = createExclusions(removal?.excludePages ?? [], site)
  const spool = createSpool(join(folder, `pages-${threadId}`))
  const spans = createSpanReader()
  const read = readWith(products)
  let writing: PageWriting | null = null
  return {
    read(task) {
      if (!task.removesReferences) return read(task)
      readWithout ??= readWith(createProductRemoval(features, removal, site))
      return readWithout(task)
    },
    beginWriting(setup) {
      writing = { ...setup, map: createBundleMap(site, setup.targets, exclusions), products, spans }
    },
    write(task) {
      if (!writing) throw new Error('beginWriting was not called')
      return writePage(task, writing)
    },
    close() {
      spool.close()
      spans.close()
    },
  }
}
