import type { ExportWork } from '../../export/jobs/work-board.ts'
import type { Deployment } from '../../products/features.ts'
import type { Feature } from '../../tenancy/removal-rules.ts'

/** The list of exports, and one export. */
export const exportTexts = {
  planHint:
    'The plan of this organization has no static export. Ask the operator of the server for the enterprise plan.',
  title: 'Static exports',
  intro:
    'An export turns a whole site into one file, the bundle. It works without the site: on a host, in a closed network, or opened from a folder.',
  listTitle: 'Exports',
  empty: 'There are no exports yet. Choose a site above and start the first one.',
  emptyWithoutSite: 'There are no exports yet.',
  columns: {
    site: 'Site',
    status: 'Status',
    version: 'Version',
    pages: 'Pages',
    difference: 'Difference',
    size: 'Size',
    created: 'Created',
    duration: 'Took',
  },
  statuses: { queued: 'queued', running: 'running', completed: 'completed', failed: 'failed' },
  noVersion: 'none',
  queuePlace: (ahead: number) => (ahead === 0 ? 'next in line' : `${ahead} ahead`),
  percent: (progress: number) => `${Math.floor(progress)} %`,
  differences: {
    first: 'first',
    same: 'as many',
    more: (pages: number) => `+${pages}`,
    fewer: (pages: number) => `−${pages}`,
  },
  changes: { changed: 'changed', added: 'added', removed: 'removed', moved: 'moved' },
  unchanged: 'no page changed',
  differenceHint:
    'Difference: the pages whose text changed, or if that is unknown the number of pages, compared with the last completed export of the same site and paths. It is empty if more than 20 completed exports are in between.',
  paging: { newer: 'Newer exports', older: 'Older exports' },

  exportOf: (domain: string) => `Export of ${domain}`,
  back: 'All exports',
  stateNow: {
    queued: 'The export waits in the queue.',
    running: 'The export is running.',
    completed: 'The export is completed.',
    failed: 'The export failed.',
  },
  queueAhead: (ahead: number) =>
    ahead === 0
      ? 'It is the next one of this organization.'
      : `${ahead} ${ahead === 1 ? 'export' : 'exports'} of this organization ${ahead === 1 ? 'is' : 'are'} ahead of it.`,
  queueTurns: 'Organizations take turns, so exports of other organizations may run in between.',
  progress: 'Progress',
  facts: {
    progress: 'Progress',
    pages: 'Pages',
    rate: 'Speed',
    stage: 'Now',
    left: 'Time left',
    opened: 'Opened',
    size: 'Size',
    checksum: 'SHA-256',
    pagesDone: 'Pages',
    difference: 'Difference',
    created: 'Created',
    ended: 'Ended',
    duration: 'Took',
    id: 'Job id',
    version: 'Version',
    paths: 'Exported',
    deployment: 'Deployment',
    features: 'Features kept',
    offlineSearch: 'Search packed',
    format: 'Format',
  },
  stages: {
    compare: 'comparing pages with what a browser shows',
    discover: 'looking for pages',
    fetch: 'reading pages',
    render: 'reading pages in a browser',
    look: 'opening pages of the site in a browser',
    archive: 'packing the pages',
    check: 'checking the pages in a browser',
  } satisfies Record<ExportWork['stage'], string>,
  withQueue: (duration: string) => `${duration}, with the time in the queue`,
  pagesOf: (done: number, known: number) => `${done} of ${known} known so far`,
  openedOf: (opened: number, expected: number) => `${opened} of about ${expected} times`,
  rate: (pagesPerSecond: number) =>
    `${pagesPerSecond < 10 ? pagesPerSecond.toFixed(1) : Math.round(pagesPerSecond)} pages a second`,
  about: (duration: string) => `about ${duration}`,
  fewSeconds: 'a few seconds',
  unknownYet: 'not known yet',
  settingsTitle: 'Settings',
  wholeSite: 'the whole site',
  morePaths: (rest: number) => `and ${rest} more`,
  noFeature: 'none',
  yes: 'packed',
  no: 'not packed',

  differenceLong: {
    first: 'the first export of these pages',
    same: 'as many pages as the export before',
    more: (pages: number) => `${pages} more than the export before`,
    fewer: (pages: number) => `${pages} fewer than the export before`,
  },
  changedLong: (changes: string) => `${changes}, compared with the export before`,
  whatChanged: 'What changed',
  bundleTitle: 'Bundle',
  linkHint:
    'A link lets a deployment or a person without a key fetch the bundle. It works until it expires; the bundle stays, and you can make as many links as you need.',
  openSite: 'Open the offline site',
  openReport: 'Open its report',
  openHintSite:
    'The offline site opens in a new tab, apart from the dashboard: its scripts cannot reach your session. The address works for one hour. If you reach this server by a name other than localhost, scripts that need the root of a host do not run there.',
  makeLink: 'Make a link',
  makeAnotherLink: 'Make a new link',
  download: 'Download',
  linkTitle: 'The link is ready',
  linkWorks: 'It works until it expires:',
  linkSecret:
    'Everyone who has the link can fetch the bundle. It is shown only here and now; you can make another one at any time.',
  copy: 'Copy',
  copyLink: 'Copy the link to the bundle',
  copyChecksum: 'Copy the SHA-256 of the bundle',
  copyId: 'Copy the id of the job',
  openExport: 'Back to the export',
  noBundle: {
    queued: 'There is no bundle yet. It can be fetched when the export is completed.',
    running: 'There is no bundle yet. It can be fetched when the export is completed.',
    completed: 'The bundle cannot be fetched now. Try again.',
    failed: 'The export failed, so there is no bundle.',
  },

  againTitle: 'What next',
  again: 'Export again',
  delete: 'Delete the export',
  endHint:
    '"Export again" opens the form with these settings. "Delete" removes the job and its bundle; deployments that already serve the bundle go on.',
  confirmDelete: 'Delete this export and its bundle? This cannot be undone.',
  linkedTitle: 'A link to this bundle still works',
  linkedHint:
    'A deployment that starts before the link expires would no longer find its bundle. Nothing was deleted yet. Delete the export anyway, or wait until the link has expired.',
  deleteAnyway: 'Delete it although a link works',
  keep: 'Keep the export',
  openTitle: 'This export has not ended yet',
  openHint: 'Cancel it first, or delete it when it is completed or failed.',
  cancel: 'Cancel the export',
  confirmCancel: 'Cancel this export? What it has done so far is lost.',
  failedTitle: 'What happened',
  failedNext: ['When you have mended the cause,', 'export again with the same settings.'],
}

/** The report of a completed export. */
export const reportTexts = {
  title: 'Report',
  search: 'Search offline:',
  whole: 'The page export-report.html in the bundle has the whole report.',
  unreadable: 'The report of this export cannot be shown.',
  rest: (rows: number) => `${rows} more are in the report inside the bundle.`,
  tables: {
    removed: 'Removed features',
    kept: 'Features kept, loaded from their vendors',
    dead: 'Dead links',
    differing: 'Pages that differ from the site',
    lost: 'Lost pages',
    missing: 'Files that could not be fetched',
  },
  columns: {
    product: 'Product',
    feature: 'Feature',
    pages: 'Pages',
    address: 'Address',
    why: 'Why',
    page: 'Page',
    place: 'Where',
    what: 'What',
    example: 'Linked from',
  },
  byRule: 'a rule of the site',
  places: { root: 'at the root of a host', folder: 'in a folder of a host', file: 'opened from a file' },
}

const cloudFeatures: Record<Feature, string> = {
  search: 'Search service',
  assistant: 'AI assistant',
  analytics: 'Web analytics',
  playground: 'API playground',
}

/** The form that starts an export. */
export const startTexts = {
  title: 'Start an export',
  site: 'Site',
  siteHint: 'Its domain, as in the list of sites.',
  noSite: 'An export needs a registered site, and this organization has none yet.',
  noSiteLink: 'Register a site first',
  moreOptions: 'More settings: version, pages, deployment, search, format',
  version: 'Version',
  versionHint:
    'A label for this export, such as 2.4 or "Release 2.4". A deployment can pin it. You may leave it empty.',
  paths: 'Only these pages',
  pathsHint: 'One path on each line, such as /guides/start. Leave it empty to export the whole site.',
  deployment: 'Where will the bundle be served?',
  deployments: {
    'air-gapped': {
      label: 'Air-gapped: a network without a way to the internet',
      hint: 'Search services, AI assistants and web analytics of the site are removed, because they need a cloud service.',
      choice: 'You may keep:',
    },
    'client-hosted': {
      label: 'Client-hosted: a network of your own, with the internet',
      hint: 'The API playground is always kept, because it needs no cloud service.',
      choice: 'You may also keep, if readers may reach their services:',
    },
    cloud: {
      label: 'Cloud: in the open internet',
      hint: 'Search service, AI assistant, web analytics and API playground are all kept, because their services can be reached.',
      choice: '',
    },
  } satisfies Record<Deployment, { label: string; hint: string; choice: string }>,
  features: cloudFeatures,
  offlineSearch: 'Offline search',
  offlineSearchLabel: 'Pack a search that needs no server and no service',
  format: 'Format',
  formats: { zip: 'zip', 'tar.gz': 'tar.gz, for containers' },
  start: 'Start the export',
  schedule: 'Start exports by a schedule, on the page of a site',
  notStarted: 'The export was not started.',
  usedForm:
    'This form has already started an export, and the settings differ now. Press the button again to start another export with these settings.',
  problems: {
    domain: 'This organization has no site with this domain. Check its spelling.',
    version:
      'The version must begin with a letter or digit, and have only letters, digits, ".", "_", "-" and spaces in between, 64 characters at most. Example: 2.4',
    paths: 'List at most 1,000 different pages, or none for the whole site.',
    path: (path: string) =>
      `"${path}" is not the path of a page. Leave out "?" and "#" and what follows them, and write a space as %20. Example: /guides/start`,
    deployment: 'Choose one from the list.',
    features: 'This deployment cannot have these features. Choose them again.',
    format: 'Choose one from the list.',
  },
  outdatedForm: 'The form is out of date. Press the button again.',
}

export const changesTexts = {
  title: (domain: string) => `What changed on ${domain}`,
  back: 'The export',
  between: 'Changes of the text of all pages since',
  before: 'the export before',
  none: 'There is no export of these pages before this one.',
  running: 'The two bundles are unpacked and compared. This takes some seconds.',
  missing: 'The bundles cannot be compared, because one of them is missing or damaged.',
  failed: 'The bundles cannot be compared here: one of them cannot be read, or they are too large. With the command:',
  facts: {
    changed: 'Changed pages',
    added: 'Added pages',
    removed: 'Removed pages',
    moved: 'Moved pages, with the same text',
    unchanged: 'Unchanged pages',
  },
  more: (pages: number) => `and ${pages} more`,
  morePlaces: (places: number) => `and ${places} more places`,
  all: 'For a page with all changes, for readers:',
}
