import { describe, expect, test } from 'vitest'
import { judgeScripts } from '../../../server/export/scripts/script-rule.ts'

describe('without a browser, scripts run everywhere unless something speaks against it', () => {
  const cases: { given: string; hasScripts: boolean; needsRoot: RegExp | null }[] = [
    { given: '<p>x</p><script type="application/ld+json">{"a":"/b/c"}</script>', hasScripts: false, needsRoot: null },
    { given: '<script src="../_static/doctools.js"></script>', hasScripts: true, needsRoot: null },
    { given: '<script type=module src=a.js></script>', hasScripts: true, needsRoot: /modules/ },
    { given: '<script>load("/assets/app.js")</script>', hasScripts: true, needsRoot: /root of the host/ },
    { given: '<div id=__docusaurus>x</div><script src=a.js></script>', hasScripts: true, needsRoot: /an app/ },
    { given: '<div id="__docusaurus">x</div>', hasScripts: false, needsRoot: null },
  ]
  test.each(cases)('$given', ({ given, hasScripts, needsRoot }) => {
    const judged = judgeScripts({ text: given, charset: 'utf-8' })
    expect(judged.hasScripts).toBe(hasScripts)
    if (needsRoot) expect(judged.needsRoot).toMatch(needsRoot)
    else expect(judged.needsRoot).toBe(null)
  })
})
