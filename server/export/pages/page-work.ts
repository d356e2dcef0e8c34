import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { createProductRemoval } from '../../products/product-removal.ts'
import { createExclusions } from '../model/exclusions.ts'
import { createSite } from '../model/site.ts'
import { createBundleMap } from '../rewrite/bundle-map.ts'
import type { PageWork, PageWorkSetup } from './page-tasks.ts'
import { createPageReader } from './read-page.ts'
import { createSpanReader, createSpool } from './spool.ts'
import { type PageWriting, writePage } from './write-page.ts'

export function createPageWork({ domain, origin, features, removal, folder }: PageWorkSetup): PageWork {
  const site = createSite(domain, new URL(origin))
  const products = createProductRemoval(features, removal, site)
  const exclusions = createExclusions(removal?.excludePages ?? [], site)
  const spool = createSpool(join(folder, `pages-${threadId}`))
  const spans = createSpanReader()
  let writing: PageWriting | null = null
  return {
    read: createPageReader(site, products, spool),
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
