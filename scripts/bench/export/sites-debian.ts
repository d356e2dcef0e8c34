import type { Site } from './site.ts'

const rust = 'usr/share/doc/rust-doc/html'

/** Manuals of Debian packages. */
export const debianSites: readonly Site[] = [
  {
    name: 'python',
    description: 'Python docs (Debian python3.11-doc), Sphinx',
    debian: ['python3.11-doc'],
    folder: 'usr/share/doc/python3.11/html',
    search: { path: '/search.html?q={query}', hits: '#search-results li > a', queries: ['zoneinfo', 'walrus', 'venv'] },
  },
  {
    name: 'sqlite',
    description: 'SQLite manual (Debian sqlite3-doc), written by hand',
    debian: ['sqlite3-doc'],
    folder: 'usr/share/doc/sqlite3',
    note: 'a script of the site hides its search (1 word) on file://',
  },
  {
    name: 'glib',
    description: 'GLib manual (Debian libglib2.0-doc), gtk-doc',
    debian: ['libglib2.0-doc'],
    folder: 'usr/share/gtk-doc/html/glib',
  },
  {
    name: 'postgresql',
    description: 'PostgreSQL manual (Debian postgresql-doc-15), DocBook',
    debian: ['postgresql-doc-15'],
    folder: 'usr/share/doc/postgresql-doc-15/html',
  },
  {
    name: 'django',
    description: 'Django manual (Debian python-django-doc) without release notes and sources, Sphinx',
    debian: ['python-django-doc', 'libjs-sphinxdoc', 'libjs-jquery', 'libjs-underscore'],
    folder: 'usr/share/doc/python-django-doc/html',
    keep: /^(?!(releases|_modules|_sources)\/)/,
    search: {
      path: '/search.html?q={query}',
      hits: '#search-results li > a',
      queries: ['queryset', 'middleware', 'gettext'],
    },
  },
  {
    name: 'mdbook',
    description: 'The Rust book (Debian rust-doc), mdBook',
    debian: ['rust-doc', 'libjs-highlight.js', 'fonts-open-sans', 'fonts-font-awesome'],
    folder: `${rust}/book`,
    keep: /^(?!(first|second|2018)-edition\/)/,
    search: {
      path: '/ch01-00-getting-started.html',
      opener: '#search-toggle',
      field: '#searchbar',
      hits: '#searchresults li',
      queries: ['closure', 'lifetime', 'mutex'],
    },
  },
  {
    name: 'rustdoc',
    description: 'The alloc crate (Debian rust-doc), rustdoc',
    debian: ['rust-doc'],
    folder: rust,
    keep: /^(alloc\/|[^/]+$)/,
    start: '/alloc/',
    search: {
      path: '/alloc/index.html?search={query}',
      hits: '#results a, .search-results a',
      queries: ['Vec', 'BTreeMap', 'drain'],
    },
  },
  {
    name: 'erlang',
    description: 'Erlang guides (Debian erlang-doc)',
    debian: ['erlang-doc'],
    folder: 'usr/share/doc/erlang-doc',
    keep: /^(doc|lib\/(stdlib|kernel)-)(?!.*\.pdf$)/,
    start: '/doc/index.html',
  },
  {
    name: 'javadoc',
    description: 'Module java.sql (Debian openjdk-17-doc), javadoc',
    debian: ['openjdk-17-doc'],
    folder: 'usr/share/doc/openjdk-17-jre-headless/api',
    keep: /^(java\.(sql|logging|prefs|net\.http)\/|resources\/|script-dir\/|[^/]+$)/,
    start: '/java.sql/module-summary.html',
    search: {
      path: '/java.sql/module-summary.html',
      field: '#search-input',
      hits: '.ui-autocomplete li',
      queries: ['Connection', 'LogRecord', 'getTimestamp'],
    },
  },
  {
    name: 'qt',
    description: 'Qt Network manual (Debian qtbase5-doc-html), QDoc',
    debian: ['qtbase5-doc-html'],
    folder: 'usr/share/qt5/doc',
    keep: /^qt(network|xml)\//,
    start: '/qtnetwork/qtnetwork-index.html',
  },
  {
    name: 'apache',
    description: 'Apache manual in English (Debian apache2-doc)',
    debian: ['apache2-doc'],
    folder: 'usr/share/doc/apache2-doc/manual',
    keep: /^((en|de|style|images)\/|[^/]+$)/,
    start: '/en/index.html',
  },
]
