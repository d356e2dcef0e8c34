import { debianSite } from './debian-site.ts'
import type { GallerySite } from './site.ts'

const rust = 'usr/share/doc/rust-doc/html'

/** Manuals of Debian packages: pages that nobody made for a test. */
export const debianManuals: readonly GallerySite[] = [
  debianSite({
    name: 'sqlite',
    description: 'SQLite manual (Debian sqlite3-doc), written by hand',
    packages: ['sqlite3-doc'],
    folder: 'usr/share/doc/sqlite3',
    note: 'a script of the site hides its search (1 word) on file://',
  }),
  debianSite({
    name: 'glib',
    description: 'GLib manual (Debian libglib2.0-doc), gtk-doc',
    packages: ['libglib2.0-doc'],
    folder: 'usr/share/gtk-doc/html/glib',
  }),
  debianSite({
    name: 'postgresql',
    description: 'PostgreSQL manual (Debian postgresql-doc-15), DocBook',
    packages: ['postgresql-doc-15'],
    folder: 'usr/share/doc/postgresql-doc-15/html',
  }),
  debianSite({
    name: 'django',
    description: 'Django manual (Debian python-django-doc) without release notes and sources, Sphinx',
    packages: ['python-django-doc', 'libjs-sphinxdoc', 'libjs-jquery', 'libjs-underscore'],
    folder: 'usr/share/doc/python-django-doc/html',
    keep: path => !/^(releases|_modules|_sources)\//.test(path),
    search: {
      path: '/search.html?q={query}',
      hits: '#search-results li > a',
      queries: ['queryset', 'middleware', 'gettext'],
    },
  }),
  debianSite({
    name: 'mdbook',
    description: 'The Rust book (Debian rust-doc), mdBook',
    packages: ['rust-doc', 'libjs-highlight.js', 'fonts-open-sans', 'fonts-font-awesome'],
    folder: `${rust}/book`,
    keep: path => !/^(first|second|2018)-edition\//.test(path),
    search: {
      path: '/ch01-00-getting-started.html',
      opener: '#search-toggle',
      field: '#searchbar',
      hits: '#searchresults li',
      queries: ['closure', 'lifetime', 'mutex'],
    },
  }),
  debianSite({
    name: 'rustdoc',
    description: 'The alloc crate (Debian rust-doc), rustdoc',
    packages: ['rust-doc'],
    folder: rust,
    keep: path => path.startsWith('alloc/') || !path.includes('/'),
    start: '/alloc/',
    search: {
      path: '/alloc/index.html?search={query}',
      hits: '#results a, .search-results a',
      queries: ['Vec', 'BTreeMap', 'drain'],
    },
  }),
  debianSite({
    name: 'erlang',
    description: 'Erlang guides (Debian erlang-doc)',
    packages: ['erlang-doc'],
    folder: 'usr/share/doc/erlang-doc',
    keep: path => /^(doc|lib\/(stdlib|kernel)-)/.test(path) && !path.endsWith('.pdf'),
    start: '/doc/index.html',
  }),
  debianSite({
    name: 'javadoc',
    description: 'Module java.sql (Debian openjdk-17-doc), javadoc',
    packages: ['openjdk-17-doc'],
    folder: 'usr/share/doc/openjdk-17-jre-headless/api',
    keep: path => /^(java\.(sql|logging|prefs|net\.http)\/|resources\/|script-dir\/|[^/]+$)/.test(path),
    start: '/java.sql/module-summary.html',
    search: {
      path: '/java.sql/module-summary.html',
      field: '#search-input',
      hits: '.ui-autocomplete li',
      queries: ['Connection', 'LogRecord', 'getTimestamp'],
    },
  }),
  debianSite({
    name: 'qt',
    description: 'Qt Network manual (Debian qtbase5-doc-html), QDoc',
    packages: ['qtbase5-doc-html'],
    folder: 'usr/share/qt5/doc',
    keep: path => /^qt(network|xml)\//.test(path),
    start: '/qtnetwork/qtnetwork-index.html',
  }),
  debianSite({
    name: 'apache',
    description: 'Apache manual in English (Debian apache2-doc)',
    unseen: true,
    packages: ['apache2-doc'],
    folder: 'usr/share/doc/apache2-doc/manual',
    keep: path => /^((en|de|style|images)\/|[^/]+$)/.test(path),
    start: '/en/index.html',
  }),
]
