import type { FakeSite } from '../fake-site.ts'

export const names = ['Tables', 'Joining', 'Sorting', 'Grouping']
const words = (name: string) => Array.from({ length: 40 }, (_, index) => `${name.toLowerCase()}${index}`).join(' ')

/**
 * Returns a site of five pages, each with this markup of a search.
 *
 * @param title the title of all pages; undefined = each has its own.
 */
export function searchable(markup: string, files: FakeSite, title?: string): FakeSite {
  const links = names.map(name => `<a href="${name}.html">Read on ${name}</a>`).join(' ')
  const page = (name: string) =>
    `<!doctype html><html><head><title>${title ?? name}</title></head><body><h1>${name}</h1><p>${words(name)}</p>${links}${markup}</body></html>`
  return { '/': page('Start'), ...Object.fromEntries(names.map(name => [`/${name}.html`, page(name)])), ...files }
}

export const field =
  '<input type="search" placeholder="Find in the manual"><ul id="hits"></ul><script src="find.js"></script>'
/** Shows the pages whose names contain the text of the field. `load` calls `show` with the names of all pages. */
export const finder = (load: string) => `
  const field = document.querySelector('input')
  const hits = document.getElementById('hits')
  const show = pages => {
    const found = pages.filter(name => name.toLowerCase().includes(field.value.toLowerCase()))
    hits.innerHTML = found.map(name => '<li><a href="' + name + '.html">' + name + '</a></li>').join('')
  }
  field.addEventListener('input', () => { ${load} })`
export const everywhere = (found: number) => ({ origin: found, root: found, folder: found, file: found })
