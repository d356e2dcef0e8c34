// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are source code

/** An expression that may take more than linear time, or that is made at run time, and why it may stay. */
export interface Exception {
  file: string
  /** As it stands in the source; white space of calls is one space. */
  text: string
  /** Who writes the input, or how long it can be. */
  reason: string
}

export const exceptions: readonly Exception[] = [
  {
    file: 'server/analytics/agents/agent-list.ts',
    text: "new RegExp([...texts, ...open.map(({ pattern }) => `(?:${pattern})`)].join('|') || '(?!)', flags)",
    reason:
      'The patterns are those of isbot and crawler-user-agents at pinned versions. Three of them are quadratic, and a user agent ' +
      'is cut after 1,024 characters (classify.ts).',
  },
  {
    file: 'server/analytics/agents/agent-list.ts',
    text: 'new RegExp(wholeWords ? asWord(entry.pattern) : entry.pattern, flags)',
    reason: 'The same patterns, one by one.',
  },
  {
    file: 'server/analytics/agents/classify.ts',
    text: "new RegExp(`(?<![A-Za-z0-9])${entry.token}(?![A-Za-z0-9])(?:/[^\\\\s;,()]*)?`, 'gi')",
    reason: 'The tokens are plain words of ai-agents.json.',
  },
  {
    file: 'server/analytics/formats/apache-pattern.ts',
    text: '/%(?:!?\\d{3}(?:,\\d{3})*)?[<>]?(?:\\{([^}]*)\\})?(\\^?[A-Za-z]{1,2}|%)/g',
    reason: 'The operator writes the format into a flag.',
  },
  {
    file: 'server/docs/markdown.ts',
    text: '/<table>[\\s\\S]*?<\\/table>/g',
    reason: 'The text is a page of our documentation, a description in our document, or our changelog.',
  },
  {
    file: 'server/export/crawl/joined-names.ts',
    text: "new RegExp(`\\`${hole}((?:[\\\\w@-]+/)*[\\\\w@.-]*\\\\w\\\\.\\\\w{1,16})\\``, 'g')",
    reason: 'Linear: a match begins and ends at a backtick and contains no other, and slashes separate its repeats.',
  },
  {
    file: 'server/export/crawl/joined-names.ts',
    text: "new RegExp(`\\`(?:${hole})?/?((?:[\\\\w@-]+/)*[\\\\w@.-]*)${hole}([\\\\w.-]*\\\\.\\\\w{1,16})\\``, 'g')",
    reason: 'Linear: a match begins and ends at a backtick and contains no other, and slashes separate its repeats.',
  },
  {
    file: 'server/export/jobs/page-paths.ts',
    text: '/^(?!.*\\/\\/)(?!(.*\\/)?(\\.|%2[Ee]){1,2}(\\/|$))(?!.*%(?![0-9A-Fa-f]{2}))(?!.*%(2[Ff]|5[Cc]|[01][0-9A-Fa-f]|7[Ff]))(?![^/]*:)[^\\s?#\\\\\\u0000-\\u001f\\u007f]+$/',
    reason: 'The text has at most 2,048 characters. It is anchored: 64,000 characters of 15 kinds took at most 4 ms.',
  },
  {
    file: 'server/web/fetch/answer.ts',
    text: "new RegExp(`^[\\\\t\\\\n\\\\f\\\\r ]*<(?:!doctype html[ >]|(?:${tags})[ >]|!--)`, 'i')",
    reason: 'Anchored, with one repeat, and the input has at most 1,445 bytes.',
  },
  {
    file: 'server/web/html/html-scan.ts',
    text: "new RegExp(`</${name}(?=[\\\\t\\\\n\\\\f\\\\r />])`, 'gi')",
    reason: 'A fixed text of a few letters, without a repeat.',
  },
  {
    file: 'server/web/html/selector.ts',
    text: "new RegExp( `([#.])(${name})|\\\\[\\\\s*([A-Za-z_][\\\\w:.-]*)\\\\s*(?:=\\\\s*(?:\"([^\"\\\\]]*)\"|'([^'\\\\]]*)'|([\\\\w./:@-]+))\\\\s*)?\\\\]`, 'y', )",
    reason: 'The operator writes the selector, of at most 200 characters.',
  },
  {
    file: 'server/web/javascript/script-files.ts',
    text: "new RegExp( `([\"'\\`])((?:\\\\.{1,2}/|/)?[\\\\w@~%+.,-]+(?:/[\\\\w@~%+.,-]+)*\\\\.(?:${extensions}))(?:\\\\?[\\\\w=&.%-]*)?\\\\1`, 'gi', )",
    reason:
      'Linear: a match begins and ends at a quotation mark and contains no other, and slashes separate its repeats.',
  },
  {
    file: 'server/http/input-check.ts',
    text: "new RegExp(pattern, 'u')",
    reason: 'The patterns are those of generated/openapi.json. This check judges them, too.',
  },
  {
    file: 'server/http/routes.ts',
    text: "new RegExp(`^${route.path.replaceAll(/\\{\\w+\\}/g, '[^/]+')}/?$`)",
    reason: 'The paths are those of generated/openapi.json, with a slash between two parameters: linear.',
  },
  {
    file: 'server/export/print/join-pdfs.ts',
    text: '/\\((?:[^\\\\()]|\\\\.)*\\)|(\\d+) 0 R|(\\/StructParents?) (\\d+)/gs',
    reason: 'Chromium writes the input: the objects of a PDF. Texts of the page are in streams, which are not read.',
  },
  {
    file: 'server/export/print/join-pdfs.ts',
    text: '/(\\d+) (\\d+ 0 R)/g',
    reason: 'Chromium writes the input.',
  },
  {
    file: 'server/export/print/read-pdf.ts',
    text: 'new RegExp(`/${key} (\\\\d+) 0 R`)',
    reason: 'The keys are words in the same folder, and Chromium writes the input.',
  },
  {
    file: 'server/export/print/read-pdf.ts',
    text: 'new RegExp(`/${key} (?:\\\\[([^\\\\]]*)\\\\]|(\\\\d+ 0 R))`)',
    reason: 'The keys are words in the same folder, and Chromium writes the input.',
  },
  {
    file: 'server/export/print/read-pdf.ts',
    text: '/(\\d+) 0 R/g',
    reason: 'Chromium writes the input.',
  },
  {
    file: 'server/in-page/products/refuse-scripts.ts',
    text: "new RegExp(source, 'i')",
    reason:
      'The operator writes the patterns. They are tried on addresses in a page of the site, whose time is limited.',
  },
  {
    file: 'server/tenancy/id.ts',
    text: "new RegExp(`^(${prefixes.join('|')})_[0-9a-f]{16}$`, 'i')",
    reason: 'The prefixes are seven words in the same file.',
  },
]
