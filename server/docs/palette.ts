/** The colours of the documentation and the dashboard, light or dark like the system. */
export const palette = `:root {
  color-scheme: light dark;
  --text: light-dark(#1c2024, #e6e8ea);
  --quiet: light-dark(#555d65, #a3abb3);
  --ground: light-dark(#ffffff, #14171a);
  --panel: light-dark(#f4f6f8, #1c2125);
  --line: light-dark(#dde2e7, #2c333a);
  --field: light-dark(#79828b, #79828b);
  --accent: light-dark(#0b5cad, #7ab8ff);
  --mark: light-dark(#ffe38a, #5a4a00);
}`
