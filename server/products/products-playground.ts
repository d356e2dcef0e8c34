import type { ProductSigns } from './product.ts'

/** Consoles that only send requests, and embedded code playgrounds. References with a console are in products-reference.ts. */
export const playgroundProducts: readonly ProductSigns[] = [
  // Shows whether a document is valid. It sends the address of the document to an online service.
  { name: 'Swagger Validator', addresses: ['validator.swagger.io/*'] },
  {
    name: 'Postman',
    addresses: ['run.pstmn.io/*', 'app.getpostman.com/*'],
    inline: ["_pm('", 'PostmanRunObject'],
    elements: ['.postman-run-button'],
  },
  {
    name: 'ReadMe API Explorer',
    elements: ['.rm-PlaygroundRequest', '.rm-TryIt', '.rm-APIResponseSchemaPicker'],
  },
  { name: 'Mintlify playground', elements: ['.tryit-button', '#api-playground-input', '#api-playground-modal'] },
  {
    name: 'OpenAPI docs explorer',
    elements: ['.openapi-explorer__request-form', '.openapi-explorer__request-btn'],
  },
  {
    name: 'GraphiQL',
    addresses: ['*/graphiql@*', '*/graphiql/*', '*/graphiql*.js', '*/graphiql*.css'],
    inline: ['GraphiQL.createFetcher(', 'createElement(GraphiQL'],
    elements: ['#graphiql', '.graphiql-container'],
  },
  {
    name: 'GraphQL Playground',
    addresses: ['*/graphql-playground*'],
    inline: ['GraphQLPlayground.init('],
    elements: ['.graphql-playground', '#graphql-playground'],
  },
  {
    name: 'Apollo Sandbox',
    addresses: [
      'embeddable-sandbox.cdn.apollographql.com/*',
      'embeddable-explorer.cdn.apollographql.com/*',
      'studio.apollographql.com/*',
    ],
    inline: ['EmbeddedSandbox(', 'EmbeddedExplorer('],
    elements: ['#embedded-sandbox', '#embeddableSandbox', '#embeddableExplorer'],
    parts: ['#sandbox', '#explorer'],
  },
  {
    name: 'RunKit',
    addresses: ['embed.runkit.com/*', 'runkit.com/*'],
    inline: ['RunKit.createNotebook('],
    elements: ['[data-runkit]', '.runkit-embed', '#runkit-element'],
  },
  { name: 'CodeSandbox', addresses: ['codesandbox.io/*', '*.codesandbox.io/*', '*.csb.app/*'] },
  {
    name: 'StackBlitz',
    addresses: ['stackblitz.com/*', '*.stackblitz.com/*', '*/@stackblitz/sdk*'],
    inline: ['StackBlitzSDK.'],
  },
  {
    name: 'CodePen',
    addresses: ['codepen.io/*', '*.codepen.io/*'],
    elements: ['.codepen[data-slug-hash]', '.codepen[data-prefill]', '.cp_embed_wrapper'],
  },
  { name: 'JSFiddle', addresses: ['jsfiddle.net/*'] },
  { name: 'JS Bin', addresses: ['jsbin.com/*', '*.jsbin.com/*'], elements: ['.jsbin-embed'] },
  { name: 'Replit', addresses: ['replit.com/*', '*.replit.com/*', 'repl.it/*'] },
  { name: 'Glitch', addresses: ['glitch.com/*', '*.glitch.me/*'], elements: ['.glitch-embed-wrap'] },
  {
    name: 'Thebe',
    addresses: ['*/thebe@*', '*/thebelab@*', 'mybinder.org/*', '*.mybinder.org/*'],
    inline: ['thebelab.bootstrap(', 'thebe.bootstrap('],
    elements: ['.thebe-launch-button', '.thebelab-button', 'script[type=text/x-thebe-config]'],
  },
  {
    name: 'Kotlin Playground',
    addresses: ['*/kotlin-playground@*', '*/kotlin-playground/*', 'play.kotlinlang.org/*'],
    inline: ['KotlinPlayground('],
  },
  { name: 'Go Playground', addresses: ['play.golang.org/*', 'go.dev/play/*', 'go.dev/_/compile*'] },
  { name: 'Rust Playground', addresses: ['play.rust-lang.org/*', 'play.integer32.com/*'] },
]
