/** Returns the addresses of the links of the page. */
export default function readLinks(): string[] {
  return Array.from(document.links, link => link.href)
}
