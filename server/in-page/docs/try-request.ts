import { addCopyButtons } from './copy-buttons.ts'

/** A request that a person wrote into the form, without the key. */
interface TriedRequest {
  method: string
  url: string
  headers: [name: string, value: string][]
  body: string | undefined
}

interface TriedAnswer {
  response: Response
  text: string
  ms: number
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** How many characters of an answer are shown. A CSV can be long. */
const maxShown = 100_000

const stepRefused = 'Type something other than one or two dots: a browser removes them from the path.'

/**
 * Shows the form that sends a request to the server of the page. In an exported page, the answer says that there is none. The key is
 * only in its field: nothing keeps it, and leaving the page clears it.
 */
export function enableTrying(): void {
  const box = document.querySelector<HTMLElement>('.try')
  const form = box?.querySelector('form')
  if (!box || !form) return
  box.hidden = false
  const key = form.elements.namedItem('key') as HTMLInputElement
  addEventListener('pagehide', () => {
    key.value = ''
  })
  for (const field of form.querySelectorAll<Field>('[data-in="path"]')) {
    field.addEventListener('input', () => field.setCustomValidity(isStep(field.value) ? stepRefused : ''))
  }
  form.addEventListener('submit', async event => {
    event.preventDefault()
    const button = form.querySelector('button') as HTMLButtonElement
    button.disabled = true
    const request = readRequest(form)
    showAnswer(box, request, await send(request, key.value.trim()))
    button.disabled = false
  })
}

/** Whether a browser would take a part of a path for this folder, or the one above, and ask for another address. */
function isStep(part: string): boolean {
  return part === '.' || part === '..'
}

function readRequest(form: HTMLFormElement): TriedRequest {
  const { method = 'GET', path = '/', root = '/', type } = form.dataset
  const fields = [...form.querySelectorAll<Field>('[data-in]')].filter(({ value }) => value !== '')
  const inPlace = (place: string) =>
    fields.filter(({ dataset }) => dataset.in === place).map(({ name, value }): [string, string] => [name, value])
  const filled = inPlace('path').reduce(
    (address, [name, value]) => address.replaceAll(`{${name}}`, () => encodeURIComponent(value)),
    path,
  )
  const url = new URL(root + filled.slice(1), location.href)
  for (const [name, value] of inPlace('query')) url.searchParams.append(name, value)
  const [body] = inPlace('body')
  const headers = inPlace('header')
  if (body && type !== undefined) headers.push(['Content-Type', type])
  return { method, url: url.href, headers, body: body?.[1] }
}

/** @returns undefined if no answer came. */
async function send({ method, url, headers, body }: TriedRequest, key: string): Promise<TriedAnswer | undefined> {
  const startedAt = performance.now()
  const access: [string, string][] = key === '' ? [] : [['Authorization', `Bearer ${key}`]]
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers, ...access],
      ...(body !== undefined && { body }),
      cache: 'no-store',
      credentials: 'omit',
    })
    const text = await response.text()
    return { response, text, ms: performance.now() - startedAt }
  } catch {
    return undefined
  }
}

function showAnswer(box: HTMLElement, request: TriedRequest, answer: TriedAnswer | undefined): void {
  const part = (name: string) => box.querySelector(`[data-part="${name}"]`) as HTMLElement
  const shown = part('answer')
  // Only Quire numbers its answers.
  const isQuire = answer?.response.headers.has('X-Request-Id') === true
  const status = part('status')
  status.textContent = isQuire
    ? describe(answer)
    : 'No Quire server answers here. Read this page from a server to try it.'
  status.dataset.kind = isQuire && answer.response.ok ? 'good' : 'bad'
  part('curl').textContent = writeCurl(request)
  part('headers').textContent = answer
    ? [...answer.response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    : ''
  part('body').textContent = writeBody(answer?.text ?? '')
  if (shown.hidden) addCopyButtons(shown)
  shown.hidden = false
  shown.scrollIntoView({ block: 'nearest' })
}

function describe({ response, text, ms }: TriedAnswer): string {
  const bytes = new TextEncoder().encode(text).length
  const size = bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`
  return `${`${response.status} ${response.statusText}`.trim()}, ${Math.round(ms)} ms, ${size}`
}

function writeBody(text: string): string {
  if (text === '') return 'No body'
  if (text.length > maxShown) return `${text.slice(0, maxShown)}\n...`
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** Writes the request for a shell, with a variable in place of the key. */
function writeCurl({ method, url, headers, body }: TriedRequest): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const parts = ['curl -i -H "Authorization: Bearer $QUIRE_API_KEY"']
  if (method !== 'GET') parts.push(`-X ${method}`)
  for (const [name, value] of headers) parts.push(`-H ${quote(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`--data-binary ${quote(body)}`)
  return [...parts, quote(url)].join(' \\\n  ')
}
