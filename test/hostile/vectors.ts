import type { FakeAnswer } from '../export/fake-site.ts'

/** Markup that can make a program connect to `u` when it reads the page. Each vector has a separate page, /v/NAME. */
export const markupVectors: Record<string, (u: string) => string> = {
  img: u => `<img src="${u}">`,
  'img srcset': u => `<img srcset="${u} 1x, ${u} 2x">`,
  'picture source': u => `<picture><source srcset="${u}"><img></picture>`,
  'lazy image': u => `<img loading="lazy" src="${u}"><img data-src="${u}">`,
  'image with attribution': u => `<img src="/own.png" attributionsrc="${u}">`,
  video: u => `<video autoplay muted src="${u}"></video>`,
  'video poster': u => `<video poster="${u}"></video>`,
  'video source': u => `<video autoplay muted><source src="${u}" type="video/mp4"></video>`,
  audio: u => `<audio preload="auto" src="${u}"></audio>`,
  track: u => `<video src="/own.mp4"><track default kind="captions" src="${u}"></video>`,
  embed: u => `<embed src="${u}">`,
  'embedded PDF': u =>
    `<embed type="application/pdf" src="${u}.pdf"><object type="application/pdf" data="${u}.pdf"></object>`,
  object: u => `<object data="${u}"></object>`,
  iframe: u => `<iframe src="${u}"></iframe>`,
  'iframe srcdoc': u => `<iframe srcdoc="&lt;img src='${u}'&gt;"></iframe>`,
  'iframe of a data page': u => `<iframe src="data:text/html,<img src='${u}'>"></iframe>`,
  frameset: u => `<frameset><frame src="${u}"></frameset>`,
  script: u => `<script src="${u}"></script>`,
  'module script': u => `<script type="module" src="${u}"></script>`,
  'import map': u =>
    `<script type="importmap">{"imports":{"x":"${u}"}}</script><script type="module">import "x"</script>`,
  stylesheet: u => `<link rel="stylesheet" href="${u}">`,
  'alternate stylesheet': u => `<link rel="alternate stylesheet" title="x" href="${u}">`,
  preload: u => `<link rel="preload" as="image" href="${u}">`,
  'preload imagesrcset': u => `<link rel="preload" as="image" imagesrcset="${u} 1x">`,
  modulepreload: u => `<link rel="modulepreload" href="${u}">`,
  prefetch: u => `<link rel="prefetch" href="${u}">`,
  preconnect: u => `<link rel="preconnect" href="${u}">`,
  'dns-prefetch': u => `<link rel="dns-prefetch" href="${u}">`,
  prerender: u => `<link rel="prerender" href="${u}">`,
  icon: u => `<link rel="icon" href="${u}">`,
  manifest: u => `<link rel="manifest" href="${u}">`,
  'icon of a manifest': () => '<link rel="manifest" href="/own.webmanifest">',
  canonical: u => `<link rel="canonical" href="${u}">`,
  'open graph image': u => `<meta property="og:image" content="${u}">`,
  'CSS url': u => `<style>body { background: url(${u}) }</style>`,
  'CSS import': u => `<style>@import "${u}";</style>`,
  'CSS import with escapes': u => `<style>@\\69mport url("${u.replace('127', '\\31 27')}");</style>`,
  'CSS font': u => `<style>@font-face { font-family: x; src: url(${u}) } p { font-family: x }</style><p>text</p>`,
  'CSS image-set': u => `<style>body { background: image-set("${u}" 1x) }</style>`,
  'CSS cursor and list': u => `<style>body { cursor: url(${u}), auto } li { list-style: url(${u}) }</style><li>x`,
  'CSS content and filter': u => `<style>p::before { content: url(${u}) } p { filter: url(${u}#f) }</style><p>x`,
  'style attribute': u => `<p style="background: url('${u}')">x</p>`,
  'style sheet of the site': () => '<link rel="stylesheet" href="/own.css">',
  'svg image': u => `<svg><image href="${u}" width="9" height="9"/></svg>`,
  'svg xlink': u => `<svg><image xlink:href="${u}" width="9" height="9"/></svg>`,
  'svg use': u => `<svg><use href="${u}#x"/></svg>`,
  'svg script': u => `<svg><script href="${u}"/></svg>`,
  'svg foreignObject': u => `<svg><foreignObject><img src="${u}"></foreignObject></svg>`,
  'body background': u => `<table background="${u}"><tr><td>x</table>`,
  'input image': u => `<input type="image" src="${u}">`,
  noscript: u => `<noscript><img src="${u}"></noscript>`,
  template: u => `<template shadowrootmode="open"><img src="${u}"></template>`,
  'speculation rules': u =>
    `<script type="speculationrules">{"prerender":[{"source":"list","urls":["${u}"],"eagerness":"immediate"}]}</script>`,
  'meta refresh': u => `<meta http-equiv="refresh" content="0; url=${u}">`,
  'base element': u => `<base href="${u}/"><img src="x.png"><a href="y">y</a>`,
  'application cache': u => `<html manifest="${u}">`,
  link: u => `<a href="${u}" ping="${u}" download>x</a>`,
  'unquoted and broken': u => `<img src=${u} <img src='${u}`,
  'broken spelling': u =>
    `<img src="\n${u.replace('http:', 'ht\ntp:')}"><img src="${u.replace('http://', 'http:\\\\')}">`,
  'userinfo trick': u => `<img src="${u.replace('://', '://docs.example.com@')}">`,
}

/** Scripts that connect to `u` in a browser. */
export const scriptVectors: Record<string, (u: string) => string> = {
  fetch: u => `fetch('${u}')`,
  'fetch of a body': u => `fetch('${u}', { method: 'POST', mode: 'no-cors', body: 'x' })`,
  'fetch kept alive': u => `fetch('${u}', { keepalive: true, mode: 'no-cors' })`,
  'fetch later': u => `fetchLater('${u}', { activateAfter: 0 })`,
  XMLHttpRequest: u => `const x = new XMLHttpRequest(); x.open('GET', '${u}'); x.send()`,
  'synchronous XMLHttpRequest': u => `const x = new XMLHttpRequest(); x.open('GET', '${u}', false); x.send()`,
  sendBeacon: u => `navigator.sendBeacon('${u}', 'x')`,
  'new Image': u => `new Image().src = '${u}'`,
  WebSocket: u => `new WebSocket('${u}'.replace('http', 'ws'))`,
  EventSource: u => `new EventSource('${u}')`,
  WebTransport: u => `new WebTransport('${u}'.replace('http', 'https'))`,
  'WebRTC by STUN': u =>
    `const r = new RTCPeerConnection({ iceServers: [{ urls: 'stun:' + new URL('${u}').host }] }); r.createDataChannel('x'); r.createOffer().then(o => r.setLocalDescription(o))`,
  'WebRTC by TURN over TCP': u =>
    `const r = new RTCPeerConnection({ iceServers: [{ urls: 'turn:' + new URL('${u}').host + '?transport=tcp', username: 'a', credential: 'b' }] }); r.createDataChannel('x'); r.createOffer().then(o => r.setLocalDescription(o))`,
  'WebRTC of a frame': u =>
    `const f = document.body.appendChild(document.createElement('iframe')); const R = f.contentWindow.RTCPeerConnection; const r = new R({ iceServers: [{ urls: 'stun:' + new URL('${u}').host }] }); r.createDataChannel('x'); r.createOffer().then(o => r.setLocalDescription(o))`,
  Worker: u => `new Worker(URL.createObjectURL(new Blob(['fetch("${u}", { mode: "no-cors" })'])))`,
  'Worker with importScripts': u => `new Worker(URL.createObjectURL(new Blob(['importScripts("${u}")'])))`,
  'Worker with a socket': u =>
    `new Worker(URL.createObjectURL(new Blob(['new WebSocket("${u}".replace("http", "ws"))'])))`,
  SharedWorker: u => `new SharedWorker(URL.createObjectURL(new Blob(['fetch("${u}", { mode: "no-cors" })'])))`,
  'service worker': () => `navigator.serviceWorker.register('/worker.js')`,
  'dynamic import': u => `import('${u}')`,
  'cache storage': u => `caches.open('x').then(c => c.add('${u}'))`,
  worklet: u => `CSS.paintWorklet.addModule('${u}'); new AudioContext().audioWorklet.addModule('${u}')`,
  FontFace: u => `new FontFace('x', 'url(${u})').load()`,
  'window.open': u => `open('${u}')`,
  'open of a clean frame': u =>
    `document.body.appendChild(document.createElement('iframe')).contentWindow.open('${u}')`,
  'click on a link': u =>
    `const a = document.createElement('a'); a.href = '${u}'; a.target = '_blank'; document.body.append(a); a.click()`,
  'form submit': u =>
    `const f = document.createElement('form'); f.action = '${u}'; f.method = 'post'; document.body.append(f); f.submit()`,
  'form into a window': u =>
    `const f = document.createElement('form'); f.action = '${u}'; f.target = '_blank'; document.body.append(f); f.submit()`,
  'location.href': u => `location.href = '${u}'`,
  'location.replace later': u => `setTimeout(() => location.replace('${u}'), 30)`,
  'location of a frame': u =>
    `document.body.appendChild(document.createElement('iframe')).contentWindow.location = '${u}'`,
  'javascript: address': u => `location.href = "javascript:fetch('${u}', { mode: 'no-cors' })"`,
  'navigation API': u => `navigation.navigate('${u}')`,
  'document.write': u => `document.write('<img src="${u}"><script src="${u}"></' + 'script>')`,
  'inserted speculation rules': u =>
    `const s = document.createElement('script'); s.type = 'speculationrules'; s.textContent = '{"prefetch":[{"source":"list","urls":["${u}"],"eagerness":"immediate"}]}'; document.head.append(s)`,
  'payment method': u =>
    `new PaymentRequest([{ supportedMethods: '${u}' }], { total: { label: 'x', amount: { currency: 'EUR', value: '1' } } }).canMakePayment()`,
  'leaving the page': u => `addEventListener('pagehide', () => navigator.sendBeacon('${u}')); location.href = '/'`,
  'fetch of an own redirect': u => `fetch('/redirect/307?' + encodeURIComponent('${u}'))`,
  'socket to an own redirect': u =>
    `new WebSocket(new URL('/redirect/302?' + encodeURIComponent('${u}'), location).href.replace('http', 'ws'))`,
  'report of a policy': () => `document.body.appendChild(document.createElement('iframe')).src = '/reported'`,
}

const redirects = [301, 302, 303, 307, 308]

/** Redirects to the canary, of links and of files that a page loads. */
export const redirectVectors: Record<string, (u: string) => string> = Object.fromEntries(
  redirects.flatMap(status => {
    const to = (u: string) => `/redirect/${status}?${encodeURIComponent(u)}`
    const made: [string, (u: string) => string][] = [
      [`${status} of a link`, u => `<a href="${to(u)}">x</a>`],
      [`${status} of an image`, u => `<img src="${to(u)}">`],
      [`${status} of a style sheet`, u => `<link rel="stylesheet" href="${to(u)}">`],
      [`${status} of a script`, u => `<script src="${to(u)}"></script>`],
      [`${status} of a frame`, u => `<iframe src="${to(u)}"></iframe>`],
    ]
    return made
  }),
)

export const addressOf = (name: string) => `/v/${name.replace(/\W+/g, '-')}`

/** Chooses one of three names of this machine for a vector, so that each name is used by about a third of the vectors. */
export function targetOf(name: string, port: number): string {
  const hosts = ['127.0.0.1', 'localhost', '[::1]']
  const index = [...name].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0)
  return `http://${hosts[index % 3]}:${port}${addressOf(name)}`
}

/** Creates a site with one page per vector. With `shell`, a script writes the text, so that a browser must render the page. */
export function hostileSite(vectors: Record<string, (u: string) => string>, port: number, shell: boolean) {
  const names = Object.keys(vectors)
  const byPath = new Map(names.map(name => [addressOf(name), name]))
  const text = (name: string) => `${name} ${Array.from({ length: 30 }, (_, index) => `word${index}`).join(' ')}`
  const fill = (name: string) => `document.getElementById('app').textContent = ${JSON.stringify(text(name))}`
  const body = (name: string, markup: string) =>
    shell
      ? `<!doctype html><body><div id="app"></div><script>${fill(name)}</script>${markup}`
      : `<!doctype html><p>${text(name)}</p>${markup}`
  const any = targetOf('any', port)
  const fixed: Record<string, string | FakeAnswer> = {
    '/': `<!doctype html><p>${text('home')}</p>${names.map(name => `<a href="${addressOf(name)}">${name}</a>`).join(' ')}`,
    '/robots.txt': `Sitemap: ${any}/sitemap.xml\nSitemap: http://docs.example.com@127.0.0.1:${port}/s.xml`,
    '/sitemap.xml': `<sitemapindex><sitemap><loc>${any}/index.xml</loc></sitemap><url><loc>${any}/page</loc></url></sitemapindex>`,
    '/llms.txt': `[x](${any}/llms)`,
    '/own.css': `@import "${any}"; p { background: url(${any}) } @font-face { src: url(${any}) }`,
    '/own.webmanifest': {
      body: JSON.stringify({ icons: [{ src: any }], start_url: any, scope: any }),
      headers: { 'content-type': 'application/manifest+json' },
    },
    '/worker.js': `self.addEventListener('install', () => fetch('${targetOf('service worker', port)}', { mode: 'no-cors' }))`,
    '/reported': {
      body: '<img src="/own.png">',
      headers: { 'content-security-policy': `img-src 'none'; report-uri ${targetOf('report of a policy', port)}` },
    },
  }
  return (path: string): string | FakeAnswer | undefined => {
    const redirect = /^\/redirect\/(\d+)\?(.*)/.exec(path)
    if (redirect) return { status: Number(redirect[1]), headers: { location: decodeURIComponent(redirect[2] ?? '') } }
    const name = byPath.get(path)
    if (name === undefined) return fixed[path]
    const headers: Record<string, string> = {
      refresh: `60; url=${any}`,
      link: `<${any}>; rel=preload; as=image, <${any}>; rel=preconnect`,
    }
    const markup = vectors[name]?.(targetOf(name, port)) ?? ''
    return { body: body(name, markup), headers: { 'content-type': 'text/html', ...headers } }
  }
}

/** Wraps scripts in script elements. */
export function asMarkup(scripts: Record<string, (u: string) => string>): Record<string, (u: string) => string> {
  return Object.fromEntries(
    Object.entries(scripts).map(([name, code]) => [name, u => `<script>try { ${code(u)} } catch {}</script>`]),
  )
}
