import { debianSite } from './debian-site.ts'
import type { GallerySite } from './site.ts'

/** Manuals of Debian packages: pages that nobody made for a test. */
export const debianManuals: readonly GallerySite[] = [
  debianSite({
    name: 'sqlite',
    description: 'SQLite manual (Debian sqlite3-doc), written by hand',
    packages: ['sqlite3-doc'],
    folder: 'usr/share/doc/sqlite3',
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
]
