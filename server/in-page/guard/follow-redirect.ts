/** Runs in a redirect page. Follows its only link, and keeps the query and the fragment of the address. */
export default function followRedirect(): void {
  const [link] = document.links
  if (!link) return
  const here = new URL(location.href)
  // Some hosts show a/index.html at /a, where relative addresses would resolve against the wrong folder.
  if ('index' in link.dataset && !/\/(index\.html?)?$/i.test(here.pathname)) here.pathname += '/'
  const target = new URL(link.getAttribute('href') ?? '', here)
  if (target.search === '') target.search = location.search
  if (target.hash === '') target.hash = location.hash
  location.replace(target.href)
}
