import { describe, expect, test } from 'vitest'
import { judgeScripts, namesRoot } from '../../../server/export/verify/judge-sample.ts'

describe('without a browser, scripts run everywhere unless they need the root of a host', () => {
  const cases: { given: string; hasScripts: boolean; needsRoot: RegExp | null }[] = [
    { given: '<p>x</p><script type="application/ld+json">{"a":"/b/c"}</script>', hasScripts: false, needsRoot: null },
    { given: '<script src="../_static/doctools.js"></script>', hasScripts: true, needsRoot: null },
    { given: '<script type=module src=a.js></script>', hasScripts: true, needsRoot: /modules/ },
    { given: '<script>load("/assets/app.js")</script>', hasScripts: true, needsRoot: /root-relative/ },
    { given: '<div id=__docusaurus>x</div><script src=a.js></script>', hasScripts: true, needsRoot: /an app/ },
    { given: '<div id="__docusaurus">x</div>', hasScripts: false, needsRoot: null },
  ]
  test.each(cases)('$given', ({ given, hasScripts, needsRoot }) => {
    const judged = judgeScripts({ text: given, charset: 'utf-8' }, '/guides/testing/')
    expect(judged.hasScripts).toBe(hasScripts)
    if (needsRoot) expect(judged.needsRoot).toMatch(needsRoot)
    else expect(judged.needsRoot).toBe(null)
  })
})

describe('a page needs the root of the host if it loads files by addresses from there', () => {
  const cases: { given: string; want: boolean }[] = [
    { given: '<script src="../assets/app.js"></script><link rel=stylesheet href=../a.css>', want: false },
    { given: '<script src="https://cdn.example.net/lib.js"></script>', want: false },
    { given: '<script src="//cdn.example.net/lib.js"></script>', want: false },
    { given: '<a href="/guide">x</a><link rel="icon" href="/favicon.ico">', want: false },
    { given: '<script type="application/json">{"search":"/search.json"}</script>', want: false },
    { given: '<script src="/assets/app.js"></script>', want: true },
    { given: '<script src="https://docs.example.com/app.js"></script>', want: true },
    { given: '<link rel="stylesheet" href="/a.css">', want: true },
    { given: '<base href="/docs/"><script src="app.js"></script>', want: true },
    { given: '<script>fetch("/search.json")</script>', want: true },
    { given: '<script>var page_url = "/guides/testing/"</script>', want: false },
    { given: "<script>const path = '/guides/testing', base = '../..'</script>", want: false },
    { given: '<script>const path = "/guides/testing/", data = "/guides/data.json"</script>', want: true },
  ]
  test.each(cases)('$given: $want', ({ given, want }) => {
    const isOwn = ({ host }: URL) => host === 'docs.example.com'
    expect(namesRoot({ text: given, charset: 'utf-8' }, isOwn, '/guides/testing/')).toBe(want)
  })
})
