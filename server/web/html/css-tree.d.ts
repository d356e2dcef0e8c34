// css-tree ships no types; this is the part of its API that css-urls.ts uses. The whole package takes ten times as long to load.
declare module 'css-tree/tokenizer' {
  export const tokenTypes: Readonly<Record<string, number>>
  export function tokenize(source: string, onToken: (type: number, start: number, end: number) => void): void
}
declare module 'css-tree/utils' {
  export const string: { decode(token: string): string; encode(text: string): string }
  export const url: { decode(token: string): string; encode(text: string): string }
}
