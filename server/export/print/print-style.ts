/**
 * The style of printed pages. It replaces the styles of the site, which are made for a window with menus, and often for a
 * dark one: its classes are only those by which common generators mark code, notes and pictures.
 */
export const printStyle = `
:root{color-scheme:light}
body{margin:0;font:9.5pt/1.4 system-ui,"Helvetica Neue",Arial,"Noto Sans",sans-serif;color:#1a1a1a;background:#fff;overflow-wrap:break-word}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.4em 0 .5em;break-after:avoid}
h1{font-size:18pt;margin-top:0}h2{font-size:13.5pt}h3{font-size:11.5pt}h4,h5,h6{font-size:10pt}
p,ul,ol,dl,pre,table,blockquote,figure{margin:0 0 .7em}li>ul,li>ol{margin-bottom:0}ul,ol{padding-left:1.6em}p,li,dd{orphans:2;widows:2}
li>p,dd>p,td>p{margin-bottom:.3em}dd{margin-left:1.8em}dt{font-weight:600;break-after:avoid}
a{color:#0b57a4;text-decoration:none}a:not([href]){color:inherit}
img,svg{max-width:100%;height:auto;break-inside:avoid}svg{max-height:24cm}
pre,code,kbd,samp,tt{font-family:ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;font-size:.88em}
pre{padding:.7em .9em;background:#f6f7f8;border:1px solid #dcdfe3;border-radius:4px;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.4}
pre code{font-size:1em}pre table,pre td,.highlighttable,.highlighttable td{border:0;padding:0;margin:0}
:not(pre)>code{background:#f1f2f4;border-radius:3px;padding:.05em .25em}
.linenos,.line-numbers,.line-numbers-wrapper,[class*=language-]>.lang{display:none}
table{border-collapse:collapse;max-width:100%;font-size:.95em}th,td{border:1px solid #cfd3d8;padding:.3em .55em;text-align:left;vertical-align:top}
th{background:#f1f2f4}tr{break-inside:avoid}thead{display:table-header-group}caption{text-align:left;font-weight:600;padding:.3em 0}
blockquote,aside,details,.admonition,.admonition-block,.theme-admonition,.custom-block,.callout,.alert,[class*=nextra-callout]{margin:0 0 .8em;padding:.5em .9em;border:1px solid #dcdfe3;border-left:4px solid #7a8694;border-radius:3px}
blockquote{border-width:0 0 0 4px;color:#444}summary,.admonition-title,.custom-block-title,[class*=admonitionHeading]{font-weight:600;margin:0 0 .3em}
[class*=admonitionHeading]{text-transform:capitalize}
.warning,.caution,.alert--warning{border-left-color:#c77700}.danger,.error,.alert--danger{border-left-color:#c62828}
.tip,.hint,.success,.alert--success{border-left-color:#2e7d32}.note,.info,.important,.alert--info{border-left-color:#1565c0}
.quire-tab{font-weight:600;margin:.6em 0 .3em}hr{border:0;border-top:1px solid #cfd3d8;margin:1.5em 0}
mjx-math{display:none}mjx-assistive-mml{display:inline}.versionmodified{font-style:italic}
.c,.c1,.cm,.comment,.hljs-comment{color:#5c6670}.k,.kn,.kd,.kc,.kr,.keyword,.hljs-keyword{color:#7b1fa2}
.s,.s1,.s2,.sd,.string,.hljs-string{color:#1b6e20}.mi,.mf,.number,.hljs-number{color:#a24500}.nf,.nc,.function,.hljs-title{color:#0b57a4}
.quire-cover{min-height:60vh;padding-top:20vh}.quire-cover h1{font-size:28pt}.quire-cover dl{font-size:10pt;display:grid;grid-template-columns:max-content 1fr;gap:.3em 1.2em}.quire-cover dd{margin:0;overflow-wrap:anywhere}
.quire-contents ol{list-style:none;padding:0}.quire-contents li{break-inside:avoid}.quire-contents a{display:flex;gap:.5em;align-items:baseline;color:inherit}
.quire-contents i{flex:1;border-bottom:1px dotted #9aa3ad;min-width:1em}
`

/** The page boxes of a PDF: a running line, and numbers from `first`. */
export function pageStyle(line: string, first: number, numbers: 'decimal' | 'lower-roman'): string {
  const text = JSON.stringify(line).replaceAll('<', '\\3c ').replaceAll('\\n', ' ')
  const small = 'font:8pt system-ui,Arial,sans-serif;color:#5c6670'
  return `@page{size:A4;margin:18mm 17mm 20mm;@bottom-left{content:${text};${small}}@bottom-right{content:counter(page,${numbers});${small}}}
@page :first{counter-reset:page ${first}}section+section,.quire-contents{break-before:page}`
}

/** What a single HTML file adds for screens. */
export const screenStyle = `@media screen{body{font-size:12pt;max-width:52rem;margin:0 auto;padding:1rem 1.2rem}section{margin-top:4rem;padding-top:2rem;border-top:2px solid #dcdfe3}.quire-cover{min-height:0;padding-top:2rem}.quire-up{font-size:.85em}}
@media print{section{break-before:page}.quire-up{display:none}}`
