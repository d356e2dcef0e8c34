import { expect, test } from 'vitest'
import { readScriptRedirect } from '../../../server/web/html/script-redirect.ts'

const read = (text: string) => readScriptRedirect({ text, charset: 'utf-8' })?.text ?? null

test.each([
  ['<script>location.href="/new/"</script>', '/new/'],
  [
    '<!doctype html><title>Old</title><script type="text/javascript">window.location = "../b?c=1&d";</script>',
    '../b?c=1&amp;d',
  ],
  ['<p>Moving you.</p><script>location.replace(`https://other.example/x`)</script>', 'https://other.example/x'],
])('%s leads to %s', (text, address) => {
  expect(read(text)).toContain(`content="0; url=${address}"`)
  expect(read(text)).toContain(`<a href="${address}">`)
})

test.each([
  '<p>No script</p>',
  '<script src="a.js"></script><script>location.href="/x"</script>',
  '<script>if (old) location.href="/x"</script>',
  '<script>button.onclick = () => location.href="/x"</script>',
  `<p>${'A whole page. '.repeat(40)}</p><script>location.href="/x"</script>`,
  '<script>const base = location.href</script>',
  '<script>location.href="/next/" + Math.random()</script>',
  '<script>location.href="/x".concat(1)</script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the page contains it
  '<script>location.replace(`/${page}`)</script>',
  '<script>location.href="\\/x"</script>',
  '<script>location.href="chrome://crash"</script>',
  '<script>location.href="javascript:alert(1)"</script>',
  '<script>for (;;) location.href="/x"</script>',
  '<script>try { location.href="/x" } catch {}</script>',
])('%s is not a redirect', text => expect(read(text)).toBeNull())
