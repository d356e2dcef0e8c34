/** Decides whether the page's styles show an element that has the attribute `popover`, although nothing opened it. */
export default function showsPopovers(): boolean {
  const closed = document.querySelectorAll('[popover]:not(:popover-open)')
  return Array.from(closed).some(element => element.checkVisibility({ visibilityProperty: true }))
}
