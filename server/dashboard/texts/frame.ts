/** The sections of the dashboard, in the order of the navigation, and their names. */
export const sectionNames = {
  overview: 'Overview',
  keys: 'API keys',
  projects: 'Projects and sites',
  visitors: 'Visitors',
  exports: 'Static exports',
  'agent-jobs': 'Agent jobs',
  people: 'People',
  audit: 'Audit log',
  health: 'Health',
} as const

export type Section = keyof typeof sectionNames

/** The key that opens a section after `g`. */
export const sectionKeys: Record<Section, string> = {
  overview: 'o',
  keys: 'k',
  projects: 'p',
  visitors: 'v',
  exports: 'e',
  'agent-jobs': 'j',
  people: 'u',
  audit: 'a',
  health: 'h',
}

/** The path of a section below that of the organization; that of the overview if there is no such section. */
export function sectionPath(section: string): string {
  return section === 'overview' || !Object.hasOwn(sectionNames, section) ? '' : `/${section}`
}

export const frameTexts = {
  theme: 'Theme',
  error: (title: string) => `Error: ${title}`,
  skip: 'Skip to the content',
  navigation: 'Dashboard',
  menu: 'Menu',
  organization: 'Organization',
  switch: 'Switch',
  otherOrganization: 'Switch the organization',
  documentation: 'Documentation',
  signOut: 'Sign out',
  keys: 'Keys: ?',
  search: 'Search',
  searchKey: 'Ctrl K',
  allOrganizations: 'operator',
  noScript: 'Scripts are off in this browser, so this page does not renew itself. Reload it to see what has changed.',
  renewal: {
    unreachable:
      'The server cannot be reached, so this page may be out of date. It is read again every 10 seconds until the server answers.',
    gone: 'What this page shows was deleted, or you may no longer see it. Below is how it was.',
    home: 'Open the overview',
    ended: 'You are no longer signed in, so this page does not renew itself.',
    signIn: 'Sign in',
  },
}

export const errorTexts = {
  notFound: 'Not found',
  notFoundHint: 'There is no such page, or you may not see it.',
  tooLarge: 'The form is too large. Shorten what you typed.',
  foreignTitle: 'The form was refused',
  foreignHint:
    'It did not come from a page of this server, so nothing was changed. Open the dashboard at its own address, and try again.',
  foreignHintForOperators: 'If this is its address, set it with --public-url when the server starts.',
  home: 'Open the dashboard',
  overview: 'Open the overview',
  forgedTitle: 'The form is out of date',
  forgedHint: 'Nothing was changed. Go back, reload the page, and send the form again.',
  faultTitle: 'Something went wrong',
  faultHint: 'Try again later. If it happens again, give the operator of the server this request id:',
}
