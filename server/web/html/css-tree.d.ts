// css-tree has no types. This file declares the part of its API that css-urls.ts uses. Loading the whole package takes ten
// times as long.
declare module 'css-tree/tokenizer' {
  export const tokenTypes: Readonly<Record<string, number>>
  export function tokenize(source: string, onToken: (type: number, start: number, end: number) => void): void
}
