import { findAttribute, scanHtml } from '../page/html-scan.ts'
import { isExecutable } from '../page/page-text.ts'
import { decodeAttribute, type RawText } from '../page/text-encoding.ts'

/** What the frameworks that take a page over in the browser leave in its HTML. */
const takenOver =
  /__NEXT_DATA__|self\.__next_f|id=["']?(?:__docusaurus|__nuxt|___gatsby|__next)\b|data-server-rendered|data-reactroot|data-v-app|ng-version=|data-sveltekit|<astro-island|q:container|window\.__NUXT__|__VP_HASH_MAP__|__remixContext/

/** What a page holds of scripts, for a machine without a browser: by what is known to fail away from the root. */
export function judgeScripts(raw: RawText): { hasScripts: boolean; needsRoot: string | null } {
  let hasScripts = false
  let needsRoot: string | null = null
  scanHtml(raw.text, {
    rawText(tag, start, end) {
      if (tag.name !== 'script' || !isExecutable(tag, raw)) return
      hasScripts = true
      const type = findAttribute(tag, 'type')
      const isModule =
        type && /^module$/i.test(decodeAttribute(raw.text.slice(type.start, type.end), raw.charset).trim())
      if (isModule) needsRoot ??= 'its scripts are modules, which browsers refuse on file://'
      else if (/["'`]\/[\w@-][\w@/.-]*["'`]/.test(raw.text.slice(start, end)))
        needsRoot ??= 'its scripts name addresses from the root of the host'
    },
  })
  if (hasScripts && takenOver.test(raw.text)) needsRoot ??= 'an app takes its pages over in the browser'
  return { hasScripts, needsRoot }
}
