import { builtSite, toFiles } from './built-site.ts'
import { addressOf, readDocuments, withFrontMatter } from './documents.ts'
import type { GallerySite } from './site.ts'

const app = `<script setup>
const { data: pages } = await useAsyncData('pages', () => queryCollection('docs').select('title', 'path').all())
</script>
<template>
  <div style="display: grid; grid-template-columns: 16rem 1fr">
    <nav><ul><li v-for="page in pages" :key="page.path"><NuxtLink :to="page.path">{{ page.title }}</NuxtLink></li></ul></nav>
    <main><NuxtPage /></main>
  </div>
</template>
`
const page = `<script setup>
const route = useRoute()
const { data: page } = await useAsyncData(route.path, () => queryCollection('docs').path(route.path.replace(/(.)\\/$/, '$1')).first())
</script>
<template><div><h1>{{ page?.title }}</h1><ContentRenderer v-if="page" :value="page" /></div></template>
`

/** Nuxt Content, generated as static files. */
export const nuxtSite: GallerySite = builtSite({
  name: 'nuxt-content',
  description: 'Nuxt 4 with Nuxt Content 3, nuxt generate',
  unseen: true,
  async project(cacheFolder) {
    const documents = await readDocuments(cacheFolder, slug => addressOf(slug).replace(/(.)\/$/, '$1'))
    return {
      dependencies: { nuxt: '4.5.2', '@nuxt/content': '3.16.1', vue: '3.5.22', 'vue-router': '4.6.3' },
      build: 'nuxt generate',
      env: { NUXT_TELEMETRY_DISABLED: '1' },
      files: {
        'nuxt.config.ts': `export default defineNuxtConfig({
  modules: ['@nuxt/content'],
  compatibilityDate: '2025-10-01',
  content: { experimental: { sqliteConnector: 'native' } },
})
`,
        'content.config.ts': `import { defineCollection, defineContentConfig } from '@nuxt/content'
export default defineContentConfig({ collections: { docs: defineCollection({ type: 'page', source: '**/*.md' }) } })
`,
        'app/app.vue': app,
        'app/pages/[...slug].vue': page,
        ...toFiles(documents, ({ slug }) => `content/${slug}.md`, withFrontMatter),
      },
    }
  },
  out: '.output/public',
})
