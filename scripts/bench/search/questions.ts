/** The kind of a question: a name, words, the start of a word, or words with a typo. */
export type QuestionKind = 'name' | 'words' | 'prefix' | 'typo'

export interface Question {
  kind: QuestionKind
  question: string
  /** Correct pages, as paths without the extension. */
  pages: readonly string[]
}

// These questions and answers were written from the documents before any search engine answered them. Do not change them.

export const pythonQuestions: readonly Question[] = [
  { kind: 'name', question: 'asyncio.gather', pages: ['library/asyncio-task'] },
  { kind: 'name', question: 'os.path.join', pages: ['library/os.path'] },
  { kind: 'name', question: 'subprocess.run', pages: ['library/subprocess'] },
  { kind: 'name', question: 'str.format', pages: ['library/stdtypes', 'library/string'] },
  { kind: 'name', question: 'functools.lru_cache', pages: ['library/functools'] },
  { kind: 'name', question: 'PyList_Append', pages: ['c-api/list'] },
  { kind: 'name', question: 'ZeroDivisionError', pages: ['library/exceptions'] },
  { kind: 'name', question: '__getattr__', pages: ['reference/datamodel'] },
  { kind: 'name', question: 'defaultdict', pages: ['library/collections'] },
  { kind: 'words', question: 'open file', pages: ['library/functions', 'tutorial/inputoutput'] },
  {
    kind: 'words',
    question: 'sort list',
    pages: ['howto/sorting', 'tutorial/datastructures', 'library/stdtypes'],
  },
  {
    kind: 'words',
    question: 'list comprehension',
    pages: ['tutorial/datastructures', 'reference/expressions', 'glossary'],
  },
  { kind: 'words', question: 'regular expression syntax', pages: ['library/re'] },
  { kind: 'words', question: 'virtual environments', pages: ['library/venv', 'tutorial/venv'] },
  { kind: 'words', question: 'walrus operator', pages: ['whatsnew/3.8', 'reference/expressions'] },
  { kind: 'words', question: 'read csv', pages: ['library/csv'] },
  { kind: 'words', question: 'parse command line arguments', pages: ['library/argparse', 'howto/argparse'] },
  { kind: 'words', question: 'context manager', pages: ['library/contextlib', 'reference/datamodel', 'glossary'] },
  { kind: 'words', question: 'how to copy a directory tree', pages: ['library/shutil'] },
  { kind: 'words', question: 'garbage collector', pages: ['library/gc'] },
  { kind: 'words', question: 'global interpreter lock', pages: ['glossary', 'c-api/init'] },
  { kind: 'words', question: 'time zone', pages: ['library/zoneinfo', 'library/datetime'] },
  { kind: 'prefix', question: 'datacl', pages: ['library/dataclasses'] },
  { kind: 'prefix', question: 'pathl', pages: ['library/pathlib'] },
  { kind: 'prefix', question: 'thread poo', pages: ['library/concurrent.futures', 'library/multiprocessing'] },
  { kind: 'prefix', question: 'itert', pages: ['library/itertools'] },
  {
    kind: 'typo',
    question: 'asynco',
    pages: ['library/asyncio', 'library/asyncio-task', 'library/asyncio-eventloop'],
  },
  {
    kind: 'typo',
    question: 'dictionery',
    pages: ['tutorial/datastructures', 'library/stdtypes', 'c-api/dict', 'glossary'],
  },
  { kind: 'typo', question: 'multiprocesing', pages: ['library/multiprocessing'] },
  {
    kind: 'typo',
    question: 'exeption handling',
    pages: ['tutorial/errors', 'library/exceptions', 'c-api/exceptions'],
  },
]

const commands = 'npm/commands'
const fastify = 'fastify/Reference'
const undici = 'undici/docs/api'

export const markdownQuestions: readonly Question[] = [
  { kind: 'name', question: 'preHandler', pages: [`${fastify}/Hooks`] },
  { kind: 'name', question: 'setErrorHandler', pages: [`${fastify}/Server`] },
  { kind: 'name', question: 'MockAgent', pages: [`${undici}/MockAgent`] },
  { kind: 'name', question: 'package-lock.json', pages: ['npm/configuring-npm/package-lock-json'] },
  { kind: 'name', question: 'bodyTimeout', pages: [`${undici}/Client`, `${undici}/Dispatcher`] },
  { kind: 'name', question: 'npm ci', pages: [`${commands}/npm-ci`] },
  { kind: 'name', question: 'reply.send', pages: [`${fastify}/Reply`] },
  { kind: 'name', question: 'FST_ERR_VALIDATION', pages: [`${fastify}/Errors`] },
  { kind: 'words', question: 'content type parser', pages: [`${fastify}/ContentTypeParser`] },
  { kind: 'words', question: 'log level', pages: [`${fastify}/Logging`, 'npm/using-npm/logging'] },
  { kind: 'words', question: 'publish a package', pages: [`${commands}/npm-publish`, 'npm/using-npm/developers'] },
  { kind: 'words', question: 'json schema validation', pages: [`${fastify}/Validation-and-Serialization`] },
  {
    kind: 'words',
    question: 'http proxy',
    pages: [`${undici}/ProxyAgent`, `${undici}/EnvHttpProxyAgent`, 'undici/docs/best-practices/proxy'],
  },
  {
    kind: 'words',
    question: 'two factor authentication',
    pages: [`${commands}/npm-profile`, `${commands}/npm-access`, `${commands}/npm-token`],
  },
  {
    kind: 'words',
    question: 'retry failed requests',
    pages: [`${undici}/RetryAgent`, `${undici}/RetryHandler`, `${undici}/Interceptors`],
  },
  {
    kind: 'words',
    question: 'install peer dependencies',
    pages: ['npm/configuring-npm/package-json', `${commands}/npm-install`, 'npm/using-npm/config'],
  },
  { kind: 'prefix', question: 'workspa', pages: ['npm/using-npm/workspaces'] },
  { kind: 'prefix', question: 'typesc', pages: [`${fastify}/TypeScript`] },
  { kind: 'typo', question: 'validaton', pages: [`${fastify}/Validation-and-Serialization`] },
  { kind: 'typo', question: 'websoket', pages: [`${undici}/WebSocket`] },
]
