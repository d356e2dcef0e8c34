import type { BenchSite } from './site.ts'
import { docsifySite } from './site-docsify.ts'
import { docusaurusSite } from './site-docusaurus.ts'
import { pythonSite } from './site-python.ts'
import { starlightSite } from './site-starlight.ts'
import { vitepressSite } from './site-vitepress.ts'

export const sites: readonly BenchSite[] = [pythonSite, docusaurusSite, docsifySite, vitepressSite, starlightSite]
