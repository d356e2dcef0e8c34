import { expect, test, vi } from 'vitest'
import { home, page, run, testTimeoutMs } from './hostile-site.ts'

vi.setConfig({ testTimeout: testTimeoutMs })

test.each(['zip', 'tar.gz'] as const)(
  'names that are invalid on file systems, or lead out of the folder: %s',
  async format => {
    const names = [
    '%2e%2e/%2e%2e/etc/passwd', '..%2f..%2f..%2fetc%2fpasswd', '..%5c..%5cwindows', '%2e%2e%5c%2e%2e%5cx', '....//....//x', '%252e%252e%252fx', 'a%00b', '%00', 'a%0ab',
    'a%5Cb', 'C%3A%5Cx', 'C:', '%2Fetc%2Fpasswd', '%2F%2Fhost%2Fshare', 'x'.repeat(300), '%E2%82%AC'.repeat(200), `${'d'.repeat(250)}/${'e'.repeat(250)}`,
    'CON', 'con.html', 'AUX', 'nul.txt', 'COM1', 'lpt9.pdf', 'com%C2%B9', 'Case', 'case', 'CASE', '%C3%A9', 'e%CC%81', 'trailing.', 'trailing%20', 'trailing%2E%20.', '~', '-rf', '*', '%3Cb%3E',
    '%ED%A0%80', '%FF%FE', '%E2%80%AEcod.exe', '.htaccess', '.git/config', 'index.html/x', 'index.html%2F', 'export-report.json', 'EXPORT-REPORT.JSON', '_external/x', '_EXTERNAL/y', 'a', 'a/b', 'A/b', 'a.html', 'a%2Fb', '%61', 'web.config', 'desktop.ini',
  ] // biome-ignore format: a table
    const { exported } = await run(
      path =>
        path === '/'
          ? home(names.map(name => `<a href="/${name}">x</a><img src="/${name}.png">`).join(''))
          : path.endsWith('.png')
            ? { body: path, headers: { 'content-type': 'image/png' } }
            : page(path),
      { format, limits: { pages: 200 } },
    )
    expect(exported?.pageCount).toBeGreaterThan(45)
    expect(exported?.report.unresolved).toEqual([])
  },
)
