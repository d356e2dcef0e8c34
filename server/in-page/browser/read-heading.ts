/** Returns the first heading of the page, or its title. */
export default function readHeading(): string {
  return (document.querySelector('h1')?.textContent ?? document.title).trim()
}
