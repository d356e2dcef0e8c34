import { builtSite } from './built-site.ts'
import type { GallerySite } from './site.ts'

const words = ['Install', 'Configure', 'Start', 'Stop', 'Upgrade', 'Backup', 'Restore', 'Monitor', 'Tune', 'Remove']

const partial = (name: string) => `ui/layouts/${name}.hbs`
const layout = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{{page.title}}}</title><link rel="stylesheet" href="{{{uiRootPath}}}/css/site.css"></head>
<body>
<nav class="menu">{{#each page.navigation}}<ul>{{#each this.items}}<li><a href="{{{relativize this.url}}}">{{{this.content}}}</a></li>{{/each}}</ul>{{/each}}
<details><summary>Versions</summary>{{#each page.versions}}<a href="{{{relativize this.url}}}">{{{this.displayVersion}}}</a> {{/each}}</details></nav>
<article class="doc"><h1>{{{page.title}}}</h1>{{{page.contents}}}</article>
</body>
</html>
`

/** Antora: AsciiDoc from a Git repository, two versions, with a plain interface. */
export const antoraSite: GallerySite = builtSite({
  name: 'antora',
  description: 'Antora 3.1 with two versions and a plain interface',
  project: async () => ({
    dependencies: { '@antora/cli': '3.1.14', '@antora/site-generator': '3.1.14' },
    type: 'commonjs',
    build: 'node commit.js && antora playbook.yml',
    files: {
      'commit.js': `const { execFileSync } = require('child_process')
const { cpSync, writeFileSync } = require('fs')
const git = (...args) => execFileSync('git', ['-c', 'user.name=Docs', '-c', 'user.email=docs@example.com', ...args], { cwd: 'repository' })
cpSync('content', 'repository', { recursive: true })
git('init', '-q', '-b', 'v1')
for (const version of ['1.0', '2.0']) {
  writeFileSync('repository/antora.yml', 'name: manual\\ntitle: Manual\\nversion: "' + version + '"\\nnav:\\n- modules/ROOT/nav.adoc\\n')
  if (version === '2.0') git('checkout', '-q', '-b', 'v2')
  git('add', '.')
  git('commit', '-q', '-m', version)
}
`,
      'playbook.yml': `site: { title: Docs, start_page: manual::index.adoc }
content: { sources: [{ url: ./repository, branches: [v1, v2] }] }
ui: { bundle: { url: ./ui } }
output: { dir: ./out }
`,
      [partial('default')]: layout,
      [partial('404')]: '<!doctype html><title>Not found</title>\n',
      'ui/helpers/relativize.js': `const path = require('path')
module.exports = (to, { data }) => {
  const from = data.root.page.url
  return path.posix.relative(path.posix.dirname(from), to || from) || '.'
}
`,
      'ui/css/site.css': 'body { display: grid; grid-template-columns: 16rem 1fr }\n',
      'content/modules/ROOT/nav.adoc': words.map(word => `* xref:${word.toLowerCase()}.adoc[${word}]`).join('\n'),
      'content/modules/ROOT/pages/index.adoc': '= Manual\n\nBegin with xref:install.adoc[].\n',
      ...Object.fromEntries(
        words.map((word, i) => [
          `content/modules/ROOT/pages/${word.toLowerCase()}.adoc`,
          `= ${word} the server\n\n${word} it on each host. Then see xref:${(words[(i + 1) % words.length] ?? '').toLowerCase()}.adoc[].\n\n== Steps\n\n. Read the notes.\n. Run the command.\n\n[source,sh]\n----\nserver ${word.toLowerCase()} --now\n----\n\nNOTE: This takes ${i + 2} minutes.\n`,
        ]),
      ),
    },
  }),
  out: 'out',
  start: '/',
})
