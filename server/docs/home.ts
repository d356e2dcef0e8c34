import { docsPath } from './pages.ts'
import { relativePath } from './relative-path.ts'

type Link = [path: string, text: string]

interface Way {
  title: string
  text: string
  links: readonly Link[]
}

const ways: readonly Way[] = [
  {
    title: 'Integrate',
    text: 'Write a program against the API, with a typed client and a mock that has every state.',
    links: [
      ['/reference', 'API reference'],
      ['/client-and-mock', 'Client and mock'],
      ['/webhooks', 'Webhooks'],
      ['/report-from-ci', 'Report from CI'],
      ['/errors', 'Errors'],
    ],
  },
  {
    title: 'Run',
    text: 'Operate a server: one process, one data folder. Or host an exported site.',
    links: [
      ['/start', 'Get started'],
      ['/operate', 'Operate a server'],
      ['/binary', 'Single binary'],
      ['/monitor', 'Monitor a server'],
      ['/host', 'Host a site'],
    ],
  },
  {
    title: 'Explore',
    text: 'See who reads a site, what agents write, and take the site with you.',
    links: [
      ['/dashboard', 'What the dashboard shows'],
      ['/visitors', 'Count visitors'],
      ['/agent-jobs', 'Agent jobs'],
      ['/export', 'Export a site'],
    ],
  },
]

const dashboardItem = '<li data-quire-export="remove"><a href="../dashboard/">Open the dashboard</a></li>'

/** Renders the first page, which leads to the three ways to use Quire. */
export function homePage(hasDashboard: boolean): string {
  const item = (href: string, text: string) => `<li><a href="${href}">${text}</a></li>`
  const cards = ways.map(({ title, text, links }) => {
    const items = links.map(([path, name]) => item(relativePath(`${docsPath}/`, docsPath + path), name))
    if (title === 'Explore' && hasDashboard) items.unshift(dashboardItem)
    const id = title.toLowerCase()
    return `<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<p>${text}</p>
<ul>${items.join('')}</ul></section>`
  })
  return `<h1>Quire</h1>
<p class="lead">The administration API of a documentation platform. It reports the jobs of writing agents, counts unique visitors,
human and AI, and exports a site into one bundle that works without a network.</p>
<div class="cards">
${cards.join('\n')}
</div>`
}
