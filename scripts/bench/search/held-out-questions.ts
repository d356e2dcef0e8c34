import type { Question } from './questions.ts'

// A second set of questions of the same kinds. They were written after the answers to the first set decided the options of
// MiniSearch, and before any engine answered them. No option depends on them.

export const pythonHeldOut: readonly Question[] = [
  { kind: 'name', question: 'itertools.groupby', pages: ['library/itertools'] },
  { kind: 'name', question: 'json.dumps', pages: ['library/json'] },
  { kind: 'name', question: 'datetime.strptime', pages: ['library/datetime'] },
  { kind: 'name', question: 'threading.Lock', pages: ['library/threading'] },
  { kind: 'name', question: 'collections.OrderedDict', pages: ['library/collections'] },
  { kind: 'name', question: 'Py_INCREF', pages: ['c-api/refcounting'] },
  { kind: 'name', question: 'KeyError', pages: ['library/exceptions'] },
  { kind: 'name', question: '__init_subclass__', pages: ['reference/datamodel'] },
  { kind: 'name', question: 'random.shuffle', pages: ['library/random'] },
  { kind: 'words', question: 'string methods', pages: ['library/stdtypes'] },
  { kind: 'words', question: 'raise exception', pages: ['tutorial/errors', 'reference/simple_stmts'] },
  { kind: 'words', question: 'lambda expressions', pages: ['tutorial/controlflow', 'reference/expressions'] },
  {
    kind: 'words',
    question: 'pattern matching match statement',
    pages: ['reference/compound_stmts', 'tutorial/controlflow', 'whatsnew/3.10'],
  },
  { kind: 'words', question: 'send email', pages: ['library/smtplib', 'library/email.examples'] },
  { kind: 'words', question: 'download url', pages: ['library/urllib.request', 'howto/urllib2'] },
  { kind: 'words', question: 'unit tests', pages: ['library/unittest'] },
  { kind: 'words', question: 'temporary file', pages: ['library/tempfile'] },
  {
    kind: 'words',
    question: 'abstract base classes',
    pages: ['library/abc', 'library/collections.abc', 'glossary'],
  },
  { kind: 'words', question: 'type hints', pages: ['library/typing'] },
  { kind: 'words', question: 'create zip archive', pages: ['library/zipfile', 'library/shutil'] },
  {
    kind: 'words',
    question: 'generator expressions',
    pages: ['reference/expressions', 'glossary', 'tutorial/classes', 'howto/functional'],
  },
  { kind: 'words', question: 'default argument values', pages: ['tutorial/controlflow'] },
  { kind: 'prefix', question: 'dateti', pages: ['library/datetime'] },
  { kind: 'prefix', question: 'unittest moc', pages: ['library/unittest.mock', 'library/unittest.mock-examples'] },
  { kind: 'prefix', question: 'contextl', pages: ['library/contextlib'] },
  { kind: 'prefix', question: 'argpar', pages: ['library/argparse', 'howto/argparse'] },
  { kind: 'typo', question: 'subproces run', pages: ['library/subprocess'] },
  { kind: 'typo', question: 'dataclas field', pages: ['library/dataclasses'] },
  { kind: 'typo', question: 'threding', pages: ['library/threading'] },
  {
    kind: 'typo',
    question: 'iterater',
    pages: ['glossary', 'tutorial/classes', 'library/stdtypes', 'c-api/iter', 'howto/functional'],
  },
]

const commands = 'npm/commands'
const fastify = 'fastify/Reference'
const undici = 'undici/docs/api'

export const markdownHeldOut: readonly Question[] = [
  { kind: 'name', question: 'onRequest', pages: [`${fastify}/Hooks`] },
  { kind: 'name', question: 'addContentTypeParser', pages: [`${fastify}/ContentTypeParser`] },
  { kind: 'name', question: 'decorateRequest', pages: [`${fastify}/Decorators`] },
  { kind: 'name', question: 'npmrc', pages: ['npm/configuring-npm/npmrc'] },
  { kind: 'name', question: 'RetryAgent', pages: [`${undici}/RetryAgent`] },
  { kind: 'name', question: 'npm dedupe', pages: [`${commands}/npm-dedupe`] },
  { kind: 'name', question: 'EventSource', pages: [`${undici}/EventSource`] },
  { kind: 'name', question: 'peerDependencies', pages: ['npm/configuring-npm/package-json'] },
  { kind: 'words', question: 'error handling', pages: [`${fastify}/Errors`] },
  { kind: 'words', question: 'serverless deployment', pages: ['fastify/Guides/Serverless'] },
  { kind: 'words', question: 'audit vulnerabilities', pages: [`${commands}/npm-audit`] },
  { kind: 'words', question: 'semantic version increment', pages: [`${commands}/npm-version`] },
  { kind: 'words', question: 'connection pool', pages: [`${undici}/Pool`, `${undici}/BalancedPool`] },
  {
    kind: 'words',
    question: 'mock requests in tests',
    pages: [
      'undici/docs/best-practices/mocking-request',
      'undici/docs/best-practices/writing-tests',
      `${undici}/MockAgent`,
    ],
  },
  { kind: 'words', question: 'lifecycle scripts', pages: ['npm/using-npm/scripts'] },
  { kind: 'words', question: 'client certificate', pages: ['undici/docs/best-practices/client-certificate'] },
  { kind: 'prefix', question: 'decora', pages: [`${fastify}/Decorators`] },
  { kind: 'prefix', question: 'interce', pages: [`${undici}/Interceptors`] },
  { kind: 'typo', question: 'serialzation', pages: [`${fastify}/Validation-and-Serialization`] },
  { kind: 'typo', question: 'encapsulaton', pages: [`${fastify}/Encapsulation`] },
]
