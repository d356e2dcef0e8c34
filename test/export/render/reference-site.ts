import { type FakeSite, page } from '../fake-site.ts'

/** A script that behaves as Swagger UI does, with the structure of its markup: React is replaced by a few functions. */
const swagger = `
function SwaggerUIBundle({ url, dom_id }) {
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(attributes)) {
      if (key === 'onclick') element.onclick = value
      else element.setAttribute(key, value)
    }
    element.append(...children)
    return element
  }
  const send = () => fetch('/pets?sent=1', { method: 'GET' })
  const toggle = (className, text, makeContent) => {
    const button = make('button', { class: className, 'aria-expanded': 'false' }, text)
    const box = make('div', {}, button)
    button.onclick = () => {
      const isOpen = button.getAttribute('aria-expanded') === 'true'
      button.setAttribute('aria-expanded', String(!isOpen))
      if (isOpen) box.lastChild.remove()
      else setTimeout(() => box.append(makeContent()), 5)
    }
    return box
  }
  const model = depth => toggle('model-box-control', 'Schema ' + depth, () => make('div', {}, 'field' + depth + ' is a string', depth < 3 ? model(depth + 1) : ''))
  const tabs = names => {
    const panel = make('div', { role: 'tabpanel', id: 'panel-' + names[0] })
    const list = make('ul', { role: 'tablist' })
    const select = name => {
      list.replaceChildren(...names.map(each => make('button', { role: 'tab', 'aria-selected': String(each === name), 'aria-controls': panel.id, onclick: () => select(each) }, each)))
      panel.replaceChildren('Panel of ' + name, toggle('model-box-control', 'More', () => make('p', {}, 'Inside ' + name)))
    }
    const keep = make('div', {}, list, panel)
    select(names[0])
    return keep
  }
  const operation = name => {
    const block = make('div', { class: 'opblock' }, toggle('opblock-summary-control', 'GET /' + name, () => make('div', { class: 'opblock-body' },
      make('p', {}, 'Lists the ' + name + ' of the shop.'),
      make('div', { class: 'try-out' }, make('button', { class: 'btn try-out__btn', onclick: send }, 'Try it out')),
      make('div', { class: 'execute-wrapper' }, make('button', { class: 'btn execute', 'aria-expanded': 'false', onclick: send }, 'Execute')),
      tabs([name + '-200', name + '-400', name + '-500']),
      make('pre', {}, '{ "id": "' + name + '-1" }'),
      model(1))))
    return block
  }
  fetch(url).then(answer => answer.json()).then(({ info }) => {
    const form = make('form', { class: 'filter', action: '/filter' }, make('input', { type: 'text' }), make('button', { 'aria-expanded': 'false' }, 'Filter'))
    const details = make('details', {}, make('summary', {}, 'Contact'), 'Write to the shop.')
    document.querySelector(dom_id).append(make('div', { class: 'swagger-ui' },
      make('div', { class: 'topbar' }, make('form', { class: 'download-url-wrapper', action: '/other' }, make('button', {}, 'Explore'))),
      make('h2', {}, info.title), make('a', { href: url }, url), details, form,
      make('div', { class: 'auth-wrapper' }, make('button', { class: 'btn authorize', onclick: send }, 'Authorize')),
      make('a', { href: '/away', 'aria-expanded': 'false' }, 'More'),
      make('button', { 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: send }, 'Menu'),
      operation('pets'), operation('owners')))
  })
}`

/** A web component that behaves as RapiDoc does: shadow trees with constructed style sheets, and a switch for the console. */
const rapidoc = `
const sheet = new CSSStyleSheet()
sheet.replaceSync(':host { --edge: 3px } .operation { border: var(--edge) solid red; border-left-width: 7px }')
class Operation extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet]
    root.innerHTML = '<div class="operation"><p>Lists the ' + this.title + ' of the shop.</p><div part="wrap-request-btn"><button part="btn btn-try">TRY</button></div><p>Sample of ' + this.title + ' <button part="btn btn-copy">Copy</button></p></div>'
    root.querySelector('button').onclick = () => fetch('/pets?sent=2')
  }
}
customElements.define('api-operation', Operation)
customElements.define('rapi-doc', class extends HTMLElement {
  static observedAttributes = ['render-style']
  async connectedCallback() {
    this.attachShadow({ mode: 'open' })
    const { info } = await (await fetch(this.getAttribute('spec-url'))).json()
    this.info = info
    this.draw()
  }
  attributeChangedCallback() { if (this.info) this.draw() }
  draw() {
    const isAll = this.getAttribute('render-style') === 'read'
    this.shadowRoot.innerHTML = '<style>h2 { color: <!---->rgb(1, 2, 3) }</style><h2>' + this.info.title + '</h2>' +
      (isAll ? '<api-operation title="pets"></api-operation><api-operation title="owners"></api-operation>' : '')
    const style = this.shadowRoot.querySelector('style')
    style.replaceChildren('h2 { color: ', document.createComment(''), 'rgb(1, 2, 3) }')
  }
})`

const script = (body: string) => ({ body, headers: { 'content-type': 'text/javascript' } })

/** A site with two references. \`/failed\` has a reference whose script is missing. */
export const referenceSite: FakeSite = {
  '/': page('home', '<a href="/swagger">1</a> <a href="/rapidoc">2</a> <a href="/failed">3</a>'),
  '/swagger': page(
    'swagger',
    `<div id="swagger-ui"></div><script src="/swagger-ui-bundle.js"></script>
    <script>SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' })</script>`,
  ),
  '/rapidoc': page('rapidoc', '<rapi-doc spec-url="/openapi.json"></rapi-doc><script src="/rapidoc.js"></script>'),
  '/failed': page(
    'failed',
    '<div id="swagger-ui">Loading</div><script src="/gone/swagger-ui.js"></script><script src="/own.js"></script>',
  ),
  '/own.js': script('document.body.dataset.own = "runs"'),
  '/swagger-ui-bundle.js': script(swagger),
  '/rapidoc.js': script(rapidoc),
  '/openapi.json': '{"openapi":"3.1.0","info":{"title":"Shop API"}}',
  '/pets': '{}',
  '/away': page('away'),
}
