import { describe, expect, test } from 'vitest'
import { findCompanions } from '../../../server/export/verify/sample-pages.ts'

describe('the files that an app has for each of its pages', () => {
  const pages = ['/', '/guide', '/guide/install', '/guide/use', '/api.html', '/faq']
  const cases: { fact: string; seen: string[]; want: string[] }[] = [
    {
      fact: 'in the folder of the page',
      seen: ['/guide/data.json', '/guide/use/data.json', '/faq/data.json'],
      want: ['/api/data.json', '/data.json', '/guide/install/data.json'],
    },
    {
      fact: 'with another extension',
      seen: ['/guide/use.txt', '/guide/install.txt', '/api.txt', '/faq.txt'],
      want: ['/guide.txt'],
    },
    {
      fact: 'in a separate folder',
      seen: ['/page-data/guide/use/it.json', '/page-data/api/it.json', '/page-data/faq/it.json'],
      want: ['/page-data/guide/install/it.json', '/page-data/guide/it.json', '/page-data/it.json'],
    },
    { fact: 'two examples are not enough', seen: ['/guide/data.json', '/faq/data.json'], want: [] },
    { fact: 'no pictures', seen: ['/guide/a.png', '/faq/a.png', '/api/a.png'], want: [] },
    { fact: 'no names that only have a common prefix', seen: ['/guides.txt', '/faqs.txt', '/apis.txt'], want: [] },
  ]
  test.each(cases)('$fact', ({ seen, want }) => expect(findCompanions(pages, seen)).toEqual(want))
})
