import { builtSite } from './built-site.ts'
import type { GallerySite } from './site.ts'

const names = ['Badge', 'Button', 'Card', 'Dialog', 'Field', 'Link', 'List', 'Menu', 'Table', 'Tabs']

/** A component with the properties `label` and `isLoud`, and its stories. */
function component(name: string): Record<string, string> {
  return {
    [`src/${name}.jsx`]: `import React from 'react'
/** ${name} shows a label. */
export function ${name}({ label, isLoud = false }) {
  return <button style={{ fontWeight: isLoud ? 'bold' : 'normal' }}>{label}</button>
}
`,
    [`src/${name}.stories.jsx`]: `import { ${name} } from './${name}.jsx'
export default { title: 'Parts/${name}', component: ${name}, tags: ['autodocs'] }
export const Usual = { args: { label: '${name} as usual' } }
export const Loud = { args: { label: '${name} aloud', isLoud: true } }
`,
  }
}

/** Storybook: an application whose pages are queries, and a frame with each story. */
export const storybookSite: GallerySite = builtSite({
  name: 'storybook',
  description: 'Storybook 10 with autodocs, React and Vite',
  project: async () => ({
    dependencies: {
      storybook: '10.6.7',
      '@storybook/react-vite': '10.6.7',
      '@storybook/addon-docs': '10.6.7',
      react: '19.3.1',
      'react-dom': '19.3.1',
      vite: '7.1.10',
    },
    build: 'storybook build -o out --disable-telemetry',
    files: {
      '.storybook/main.js': `export default {
  stories: ['../src/*.stories.jsx'],
  addons: ['@storybook/addon-docs'],
  framework: '@storybook/react-vite',
  core: { disableTelemetry: true, disableWhatsNewNotifications: true },
}
`,
      ...Object.assign({}, ...names.map(component)),
    },
  }),
  out: 'out',
})
