/**
 * Changes the commands in a source of server/ to how they are called outside of a clone. Help and messages name commands that can be
 * pasted: in a clone `npx quire`; with the single binary, and with the package, which npm installs globally, `quire`. There, npx would
 * offer to install another package with this name.
 */
export function removeNpx(code: string): string {
  return code.replaceAll('npx quire', 'quire')
}
