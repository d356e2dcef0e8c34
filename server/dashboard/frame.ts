import { relativePath } from '../docs/relative-path.ts'
import { type Theme, themeNames } from '../docs/theme-choice.ts'
import type { NoticeName, Visit } from './page.ts'
import { tokenField } from './parts/action.ts'
import { html, type Markup } from './parts/html.ts'
import { isLive, renewalState } from './renewal.ts'
import { staticPath } from './static-files.ts'
import { frameTexts, type Section, sectionKeys, sectionNames, sectionPath } from './texts/frame.ts'
import { lastingNotices, notices } from './texts/notices.ts'

/** How many organizations are offered in a select. Operators of more choose on a page. */
export const maxOrganizations = 50

/** Where the dashboard is on the server. */
export const dashboardPath = '/dashboard'

/** Where the chosen theme is sent. */
export const themePath = `${dashboardPath}/theme`

/** A page that is written in the theme that was chosen in the browser. */
export type FramedPage = (theme: Theme) => string

/** Where people sign in. */
export const signInPath = `${dashboardPath}/sign-in`

/** The path of a page of an organization. */
export function organizationPath(organizationId: string, path = ''): string {
  return `${dashboardPath}/${organizationId}${path === '' ? '/' : path}`
}

/** Frames a page that everyone may see, such as the page to sign in. */
export function framePublicPage(pagePath: string, title: string, content: Markup): FramedPage {
  return theme =>
    writeDocument(
      pagePath,
      theme,
      title,
      html`<body class="public">
<main id="content">
<p class="brand">Quire</p>
<h1>${title}</h1>
${content}
</main>
<footer>${themeForm(pagePath, theme)}</footer>
</body>`,
    )
}

/** Frames a page of an organization: header, navigation, notice and content. */
export function frameOrganizationPage(
  visit: Visit,
  {
    pagePath,
    section,
    title,
    content,
    notice,
    hasChart = false,
    isRefused = false,
  }: {
    pagePath: string
    section: Section | null
    title: string
    content: Markup
    notice: NoticeName | undefined
    hasChart?: boolean
    /** Whether the page says that something was not done. Its title says so, too, because a screen reader begins with it. */
    isRefused?: boolean
  },
): FramedPage {
  const list = navigation(visit, section, pagePath)
  const subject = `${title} - ${visit.organization.name}`
  return theme =>
    writeDocument(
      pagePath,
      theme,
      isRefused ? frameTexts.error(subject) : subject,
      html`<body>
<a class="skip" href="#content">${frameTexts.skip}</a>
<header>
<a class="brand" href="${visit.link('')}">Quire</a>
${organizationSwitch(visit, section, pagePath)}
${accountForm(visit, pagePath)}
<button type="button" class="plain" data-search="${relativePath(pagePath, '/docs/search.js')}" title="${frameTexts.searchKey}" hidden>${frameTexts.search}</button>
${themeForm(pagePath, theme)}
</header>
<details class="menu"><summary>${frameTexts.menu}</summary><div><nav aria-label="${frameTexts.navigation}, small screen">${list}</nav>
${accountForm(visit, pagePath)}${themeForm(pagePath, theme)}</div></details>
<nav class="side" aria-label="${frameTexts.navigation}">${list}</nav>
<main id="content" tabindex="-1">
${isLive(content) && renewalState({ signIn: relativePath(pagePath, signInPath), home: visit.link('') })}${notice !== undefined && showNotice(notice)}
<h1>${title}</h1>
${content}
</main>
</body>`,
      hasChart,
    )
}

/** Who is signed in, and what is for them on every page. */
function accountForm(visit: Visit, pagePath: string): Markup {
  const { name, organizationId } = visit.person
  const isMarked = organizationId === null && name !== frameTexts.allOrganizations
  return html`<form class="account" method="post" action="${relativePath(pagePath, `${dashboardPath}/sign-out`)}">
${tokenField(visit)}
<span class="quiet">${name}${isMarked && ` (${frameTexts.allOrganizations})`}</span>
<button class="plain">${frameTexts.signOut}</button>
<button type="button" class="plain" data-keys hidden>${frameTexts.keys}</button>
</form>`
}

function navigation(visit: Visit, section: Section | null, pagePath: string): Markup {
  const isShown = (name: Section) => name !== 'health' || visit.person.organizationId === null
  const items = (Object.keys(sectionNames) as Section[]).filter(isShown).map(name => {
    return html`<li><a href="${visit.link(sectionPath(name))}" data-go="${sectionKeys[name]}"${name === section && html` aria-current="page"`}>${sectionNames[name]}</a></li>`
  })
  const documentation = relativePath(pagePath, '/docs/')
  return html`<ul>${items}<li class="apart"><a href="${documentation}">${frameTexts.documentation}</a></li></ul>`
}

/** Operators choose among all organizations, and stay in the section; members see the name of theirs. */
function organizationSwitch(
  { organization, organizations, link }: Visit,
  section: Section | null,
  pagePath: string,
): Markup {
  if (organizations.length < 2) return html`<span class="organization">${organization.name}</span>`
  if (organizations.length > maxOrganizations) {
    const address = `${link('/organizations')}${section === null ? '' : `?section=${section}`}`
    return html`<span class="organization">${organization.name} <a href="${address}">${frameTexts.otherOrganization}</a></span>`
  }
  const options = organizations.map(
    ({ id, name }) => html`<option value="${id}"${id === organization.id && html` selected`}>${name}</option>`,
  )
  return html`<form class="organization" method="get" action="${relativePath(pagePath, `${dashboardPath}/`)}">
<label class="unseen" for="organization">${frameTexts.organization}</label>
${section !== null && html`<input type="hidden" name="section" value="${section}">`}<select id="organization" name="organization">${options}</select><button>${frameTexts.switch}</button>
</form>`
}

/** What was done leaves by itself. It stays in the page for screen readers. */
function showNotice(name: NoticeName): Markup {
  return html`<p class="notice${!lastingNotices.has(name) && ' toast'}" role="status">${notices[name]}</p>`
}

/** Chooses the theme. Without scripts, the page is loaded again in it. */
function themeForm(pagePath: string, theme: Theme): Markup {
  const buttons = Object.entries(themeNames).map(
    ([name, label]) =>
      html`<button name="theme" value="${name}" aria-pressed="${String(name === theme)}" title="${label}"><span class="unseen">${label}</span></button>`,
  )
  return html`<form method="post" action="${relativePath(pagePath, themePath)}" class="theme"><fieldset><legend class="unseen">${frameTexts.theme}</legend>${buttons}</fieldset></form>`
}

function writeDocument(pagePath: string, theme: Theme, title: string, body: Markup, hasChart = false): string {
  const file = (name: Parameters<typeof staticPath>[0]) => relativePath(pagePath, dashboardPath + staticPath(name))
  return html`<!doctype html>
<html lang="en"${theme !== 'system' && html` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Quire</title>
<link rel="icon" href="${file('icon.svg')}">
<link rel="stylesheet" href="${file('style.css')}">
${hasChart && html`<link rel="stylesheet" href="${file('chart.css')}">\n<script src="${file('chart.js')}" defer></script>\n`}<script src="${file('dashboard.js')}" defer></script>
</head>
${body}
</html>
`.text
}
